#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace vitrain {

// Returns a message as it should be written to a descriptor: with *** in place
// of the user information of URLs, and wrapped between words if the descriptor
// is a terminal.
std::string message_for(int fd, std::string_view text);

// Writes a message to a stream in the form of message_for(), and a newline.
void print_message(std::FILE* to, std::string_view text);
// Writes each line as print_message() does.
void print_lines(std::FILE* to, std::span<const std::string> lines);

} // namespace vitrain

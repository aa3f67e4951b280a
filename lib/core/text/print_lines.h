#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace vitrain {

// A message as it is written to a descriptor: wrapped between words if that is
// a terminal, else unchanged.
std::string message_for(int fd, std::string_view text);

// Writes a message and a line's end to a stream, wrapped if that is a terminal.
void print_message(std::FILE* to, std::string_view text);
// The same of several.
void print_lines(std::FILE* to, std::span<const std::string> lines);

} // namespace vitrain

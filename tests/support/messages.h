#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// Adds a test failure unless the message contains each of `parts`, which users
// and programs rely on: keys, positions, numbers, names. The full messages of a
// test program are compared with tests/golden/messages/PROGRAM.txt, so that
// rewording changes that file alone: run the program with
// VITRAIN_WRITE_MESSAGES=1, which writes the file, and review the difference.
void expect_message(
    std::string_view message,
    const std::vector<std::string>& parts,
    std::source_location where = std::source_location::current());

} // namespace vitrain

#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// Adds a test failure if the message is empty or lacks one of `parts`, which
// users and programs rely on: keys, positions, numbers, names. At the end of
// each passed test, its full messages are compared with
// tests/golden/messages/PROGRAM.txt, so that rewording changes that file alone:
// run the program with VITRAIN_WRITE_MESSAGES=1, which writes the file, and
// review the difference.
void expect_message(
    std::string_view message,
    const std::vector<std::string>& parts,
    std::source_location where = std::source_location::current());

} // namespace vitrain

#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// Expects a message to contain each of `parts`: what users and programs rely
// on, such as keys, places, numbers and names. The wording of all messages of
// a test program is in tests/golden/messages/PROGRAM.txt, so that a change of
// words changes that file alone. After such a change, run the program with
// VITRAIN_WRITE_MESSAGES=1, which writes its file, and read the difference.
void expect_message(
    std::string_view message,
    const std::vector<std::string>& parts,
    std::source_location where = std::source_location::current());

} // namespace vitrain

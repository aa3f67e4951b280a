#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/foreign/given_words.h"
#include "config/foreign/words.h"
#include "config/load/problems.h"

namespace vitrain::config::foreign {

// What is given to `config from-...`: the name of a YAML file or of a file with
// a command, or a command itself. Throws Error(kUsage) for a file that cannot
// be read and with everything that is wrong in it.
Words read_words(const Program& program, const std::string& given);
// A command as its words.
Words read_words(
    const Program& program,
    const std::vector<std::string>& command);

// The recipe, and what it leaves out. Every word that is not as the program has
// it by default is in the recipe or in one of the lists.
Translation translate(const Words& words);

// The recipe as a file: what differs from the defaults here, behind each value
// the words that say it, and what was left out as comments in front.
std::string to_file(const Words& words, const Translation& translation);
// The same list for a terminal, a line each; "" where nothing was.
std::string left_out(const Translation& translation);

} // namespace vitrain::config::foreign

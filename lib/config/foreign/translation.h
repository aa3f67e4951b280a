#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/foreign/foreign_args.h"
#include "config/foreign/words.h"
#include "config/schema/problems.h"

namespace vitrain::config::foreign {

// Reads the argument of `config from-...`: the name of a YAML file or of a file
// with a command, or a command itself. Throws Error(kUsage) if the file cannot
// be read, and for all mistakes in it together.
Words read_words(const Program& program, const std::string& given);
// Reads the words of a command.
Words read_words(
    const Program& program,
    const std::vector<std::string>& command);

// Translates all words, also the program's own defaults. Each given word that
// differs from these is in the recipe, or in `missing`, `differs` or `idle`.
Translation translate(const Words& words);

// Returns the recipe as a YAML file: all non-default values, each with a
// comment that quotes the original words, after comments that list the words
// left out.
std::string to_file(const Words& words, const Translation& translation);
// Returns the left-out words for a terminal, one per line; "" if there are
// none.
std::string left_out(const Translation& translation);

} // namespace vitrain::config::foreign

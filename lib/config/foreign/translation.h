#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/foreign/foreign_args.h"
#include "config/foreign/words.h"
#include "config/schema/problems.h"

namespace vitrain::config::foreign {

// Reads the argument of `config from-...`: a command (`given` begins with a
// dash or contains a blank), or the name of a YAML file (.yaml, .yml) or of a
// file with a command. Throws Error(kUsage) if the file cannot be read, if it
// is not the program's, and for all mistakes together.
Words read_words(const Program& program, const std::string& given);
// Reads the words of a command. Throws Error(kUsage) for all mistakes together.
Words read_words(
    const Program& program,
    const std::vector<std::string>& command);

// Translates all words, also those with the program's defaults. Words with
// other values set keys of the recipe, or are in `missing`, `differs` or
// `idle`; unknown words are in `missing`.
Translation translate(const Words& words);

// Returns the recipe as a YAML file. It begins with comments that list
// `missing`, `differs` and `idle`. Then follow the keys that have an effect and
// a value other than vitrain's default, were set by a word, or are always
// written (run.epochs, model.name, ...), each with a comment that names the
// words that set it, or with "timm's default". Throws like to_yaml().
std::string to_file(const Words& words, const Translation& translation);
// Returns `missing` and `differs`, one word per line, and `idle` on one line,
// for a terminal; "" if all are empty.
std::string left_out(const Translation& translation);

} // namespace vitrain::config::foreign

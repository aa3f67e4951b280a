#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/command_line/completion.h"
#include "config/command_line/options.h"

namespace vitrain::config {

// Candidates for one position of the command line.
struct Candidates {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false; // and no files
  bool keys = false; // KEY=VALUE

  bool empty() const { return words.empty() && !files && !folders && !keys; }
};

// Behind an option that takes a value.
Candidates values_of(const Option& option, const CompletionWords& words);
// Returns the candidates for a verb's arguments, without its options.
Candidates arguments_of(const VerbInfo& verb, const CompletionWords& words);

// A key of the recipe and, if it is an enumeration, its values.
struct CompletedKey {
  std::string path;
  std::vector<std::string> values;
};
std::vector<CompletedKey> completed_keys(const CompletionWords& words);

// A word that verbs begin with: itself a verb, or the first of two words.
struct FirstWord {
  std::string word;
  std::string summary;
  std::vector<const VerbInfo*> seconds; // verbs of two words
};
std::vector<FirstWord> first_words_of_verbs();
// Both words of verbs begin so: "config", ...
std::vector<std::string> halves_of_verbs();
// The verbs of one word.
std::vector<std::string> whole_verbs();

// The options that a verb takes, in the order of the help text. A command line
// without a verb is for train, or with -eval for eval.
std::vector<const Option*> options_of(Verb verb);

// The first sentence of a help text.
std::string first_sentence(std::string_view text);

// One for each shell.
std::string bash_completion(const CompletionWords& words);
std::string zsh_completion(const CompletionWords& words);
std::string fish_completion(const CompletionWords& words);

} // namespace vitrain::config

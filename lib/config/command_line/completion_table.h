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
  bool folders = false; // folders only
  bool keys = false; // KEY=VALUE

  bool empty() const { return words.empty() && !files && !folders && !keys; }
};

// Returns the candidates for the value of an option.
Candidates values_of(const Option& option, const CompletionWords& words);
// Returns the candidates for a verb's arguments other than options.
Candidates arguments_of(const VerbInfo& verb, const CompletionWords& words);

// A key of the recipe and, if it is an enumeration, its values.
struct CompletedKey {
  std::string path;
  std::vector<std::string> values;
};
std::vector<CompletedKey> completed_keys(const CompletionWords& words);

// First word of verbs: a verb of one word, or the first of two words.
struct FirstWord {
  std::string word;
  std::string summary;
  std::vector<const VerbInfo*> seconds; // verbs of two words that begin with it
};
std::vector<FirstWord> first_words_of_verbs();
// Returns the first words of two-word verbs: "config", ...
std::vector<std::string> halves_of_verbs();
// Returns the verbs of one word.
std::vector<std::string> whole_verbs();

// Returns the options that a verb accepts, in the order of the help text. For
// train also those of eval, because a command line without a verb is for train,
// or with -eval for eval.
std::vector<const Option*> options_of(Verb verb);

// Returns the first sentence of a help text.
std::string first_sentence(std::string_view text);

// Return the completion script for a shell.
std::string bash_completion(const CompletionWords& words);
std::string zsh_completion(const CompletionWords& words);
std::string fish_completion(const CompletionWords& words);

} // namespace vitrain::config

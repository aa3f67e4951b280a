#include <fmt/format.h>

#include "config/command_line/completion_table.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr const char* kFishStart =
    R"sh(# Completion of vitrain in fish: written by `vitrain completion fish`.

function __vitrain_first --description 'Whether the first word is being typed'
    test (count (commandline -opc)) -eq 1
end

function __vitrain_second --description 'Whether the word behind this one is'
    set -l given (commandline -opc)
    test (count $given) -eq 2; and test "$given[2]" = $argv[1]
end

)sh";

// Returns the text in single quotes.
std::string fish_word(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      escaped += '\\';
    }
    escaped += c;
  }
  return "'" + escaped + "'";
}

std::string verb_function() {
  return fmt::format(
      R"sh(function __vitrain_verb --description 'Whether the verb is one of these'
    set -l given (commandline -opc)
    set -l verb train
    if contains -- "$given[2]" {}
        set verb "$given[2] $given[3]"
    else if contains -- "$given[2]" {}
        set verb $given[2]
    end
    contains -- "$verb" $argv
end
)sh",
      join(halves_of_verbs(), " "),
      join(whole_verbs(), " "));
}

// Lists every KEY=, or for a key with a fixed set of values, every KEY=VALUE.
std::string fish_settings(const CompletionWords& words) {
  std::string lines;
  for (const CompletedKey& key : completed_keys(words)) {
    if (key.values.empty()) {
      lines += fmt::format(" {}=", key.path);
    }
    for (const std::string& value : key.values) {
      lines += fmt::format(" {}={}", key.path, value);
    }
  }
  return fmt::format(
      "function __vitrain_set\n    printf '%s\\n'{}\nend\n\ncomplete -c "
      "vitrain -f\n",
      lines);
}

// Returns the part of a `complete` command about the value of an option or
// verb.
std::string fish_values(const Candidates& candidates, bool required) {
  if (candidates.keys) {
    return " -x -a '(__vitrain_set)'";
  }
  std::string text;
  if (candidates.folders) {
    text = " -x -a '(__fish_complete_directories)'";
  } else if (candidates.files) {
    text = required ? " -r -F" : " -F";
  } else {
    text = required ? " -x" : "";
  }
  if (!candidates.words.empty()) {
    text += " -a " + fish_word(join(candidates.words, " "));
  }
  return text;
}

std::string option_line(const Option& option, const CompletionWords& words) {
  std::string verbs_of_it;
  for (const VerbInfo& info : verbs()) {
    for (const Option* taken : options_of(info.verb)) {
      if (taken == &option) {
        verbs_of_it += " " +
            (info.words.find(' ') == std::string_view::npos
                 ? std::string(info.words)
                 : "\"" + std::string(info.words) + "\"");
      }
    }
  }
  return fmt::format(
      "complete -c vitrain -n {} -o {}{} -d {}\n",
      fish_word("__vitrain_verb" + verbs_of_it),
      option.name,
      option.label.empty()
          ? ""
          : fish_values(values_of(option, words), option.implied.empty()),
      fish_word(first_sentence(option.help)));
}

} // namespace

std::string fish_completion(const CompletionWords& words) {
  std::string text = kFishStart + verb_function() + "\n" + fish_settings(words);
  for (const FirstWord& first : first_words_of_verbs()) {
    text += fmt::format(
        "complete -c vitrain -n __vitrain_first -a {} -d {}\n",
        first.word,
        fish_word(first_sentence(first.summary)));
    for (const VerbInfo* info : first.seconds) {
      text += fmt::format(
          "complete -c vitrain -n '__vitrain_second {}' -a {} -d {}\n",
          first.word,
          split(info->words, ' ')[1],
          fish_word(first_sentence(info->summary)));
    }
  }
  for (const Option& option : options()) {
    text += option_line(option, words);
  }
  for (const VerbInfo& info : verbs()) {
    if (const Candidates behind = arguments_of(info, words); !behind.empty()) {
      text += fmt::format(
          "complete -c vitrain -n {}{}\n",
          fish_word(fmt::format("__vitrain_verb \"{}\"", info.words)),
          fish_values(behind, /*required=*/false));
    }
  }
  return text;
}

} // namespace vitrain::config

#include <fmt/format.h>

#include "config/command_line/completion_table.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr const char* kZshStart = R"sh(#compdef vitrain
# Completion of vitrain in zsh: written by `vitrain completion zsh`.

)sh";

constexpr const char* kZshMain = R"sh(
_vitrain() {
  local verb=train name
  local -a firsts seconds names specs
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _vitrain_firsts
    _describe -t verbs verb firsts
    return
  fi
  if (( CURRENT > 2 )); then
    if (( $_vitrain_halves[(Ie)$words[2]] )); then
      if (( CURRENT == 3 )); then
        _vitrain_seconds $words[2]
        _describe -t verbs verb seconds
        return
      fi
      verb="$words[2] $words[3]"
      shift 2 words
      (( CURRENT -= 2 ))
    elif (( $_vitrain_verbs[(Ie)$words[2]] )); then
      verb=$words[2]
      shift words
      (( CURRENT -= 1 ))
    fi
  fi
  _vitrain_options $verb
  for name in $names; do
    specs+=("$_vitrain_specs[$name]")
  done
  _arguments : $specs
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _vitrain "$@"
else
  compdef _vitrain vitrain
fi
)sh";

// Returns the text in single quotes.
std::string zsh_word(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return "'" + escaped + "'";
}

// Puts a backslash before every character of `special`.
std::string escape(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

std::string action(const Candidates& candidates) {
  if (candidates.keys) {
    return "_vitrain_set";
  }
  if (candidates.folders) {
    return "_files -/";
  }
  if (candidates.files) {
    return "_files";
  }
  return candidates.words.empty() ? " "
                                  : "(" + join(candidates.words, " ") + ")";
}

// Returns an argument of zsh's _arguments: "-cfg[The recipe]:FILE:_files".
std::string spec(const Option& option, const CompletionWords& words) {
  std::string text = fmt::format(
      "-{}[{}]", option.name, escape(first_sentence(option.help), "[]\\"));
  if (!option.label.empty()) {
    text += fmt::format(
        "{}{}:{}",
        option.implied.empty() ? ":" : "::",
        escape(option.label, ":\\"),
        action(values_of(option, words)));
  }
  return zsh_word((option.name == "set" ? "*" : "") + text);
}

std::string described(std::string_view word, std::string_view summary) {
  return zsh_word(
      fmt::format("{}:{}", word, escape(first_sentence(summary), ":\\")));
}

std::string zsh_settings(const CompletionWords& words) {
  std::string keys;
  std::string values;
  for (const CompletedKey& key : completed_keys(words)) {
    keys += " " + key.path;
    if (!key.values.empty()) {
      values += fmt::format(
          "      ({}) compadd -- {} ;;\n", key.path, join(key.values, " "));
    }
  }
  return fmt::format(
      "_vitrain_set() {{\n  if compset -P '*='; then\n"
      "    case ${{IPREFIX%=}} in\n{}    esac\n  else\n"
      "    compadd -S = -q --{}\n  fi\n}}\n",
      values,
      keys);
}

} // namespace

std::string zsh_completion(const CompletionWords& words) {
  std::string specs;
  for (const Option& option : options()) {
    specs += fmt::format("  {} {}\n", option.name, spec(option, words));
  }
  std::string firsts;
  std::string seconds;
  for (const FirstWord& first : first_words_of_verbs()) {
    firsts += " " + described(first.word, first.summary);
    std::string others;
    for (const VerbInfo* info : first.seconds) {
      others += " " + described(split(info->words, ' ')[1], info->summary);
    }
    if (!others.empty()) {
      seconds += fmt::format("    ({}) seconds=({}) ;;\n", first.word, others);
    }
  }
  std::string options;
  for (const VerbInfo& info : verbs()) {
    std::vector<std::string> names;
    for (const Option* option : options_of(info.verb)) {
      names.emplace_back(option->name);
    }
    options += fmt::format(
        "    ({}) names=({})", zsh_word(info.words), join(names, " "));
    if (const Candidates behind = arguments_of(info, words); !behind.empty()) {
      options += "; specs=(" +
          zsh_word(fmt::format("*:{}:{}", info.files, action(behind))) + ")";
    }
    options += " ;;\n";
  }
  return kZshStart +
      fmt::format(
             "typeset -gA _vitrain_specs=(\n{}\n)\n"
             "typeset -ga _vitrain_halves=({})\n"
             "typeset -ga _vitrain_verbs=({})\n\n"
             "_vitrain_firsts() {{ firsts=({}) }}\n"
             "_vitrain_seconds() {{\n  case $1 in\n{}  esac\n}}\n"
             "_vitrain_options() {{\n  case $1 in\n{}  esac\n}}\n",
             specs,
             join(halves_of_verbs(), " "),
             join(whole_verbs(), " "),
             firsts,
             seconds,
             options) +
      zsh_settings(words) + kZshMain;
}

} // namespace vitrain::config

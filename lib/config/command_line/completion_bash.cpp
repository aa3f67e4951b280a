#include <fmt/format.h>

#include "config/command_line/completion_table.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr const char* kBashStart =
    R"sh(# Completion of vitrain in bash: written by `vitrain completion bash`.

_vitrain_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

_vitrain_files() { # -f: files and folders, -d: folders; and words
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2"; compgen -W "$3" -- "$2")
}

)sh";

// Completes a key of -set or, after `=`, its value: bash splits this into three
// words, or one if COMP_WORDBREAKS lacks `=`.
constexpr const char* kBashSet = R"sh(
_vitrain_set() {
  if [[ $1 == *=* ]]; then
    mapfile -t COMPREPLY < <(
      compgen -P "${1%%=*}=" -W "$(_vitrain_values "${1%%=*}")" -- "${1#*=}")
  else
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -S = -W "$_vitrain_keys" -- "$1")
  fi
}

)sh";

constexpr const char* kBashMain = R"sh(
_vitrain() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local first=${COMP_WORDS[1]-} verb=train option
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    if [[ $word != -* ]]; then
      _vitrain_reply "$_vitrain_firsts" "$word"
      return
    fi
  elif [[ " $_vitrain_halves " == *" $first "* ]]; then
    if ((COMP_CWORD == 2)); then
      _vitrain_reply "$(_vitrain_seconds "$first")" "$word"
      return
    fi
    verb="$first ${COMP_WORDS[2]}"
  elif [[ " $_vitrain_firsts " == *" $first "* ]]; then
    verb=$first
  fi
  if [[ $before == -* ]]; then
    option=${before#-}
    option=${option#-}
    option=${option//-/_}
    if _vitrain_value "$option" "$word"; then return; fi
  elif [[ $before == *.* && " $_vitrain_keys " == *" $before "* ]]; then
    _vitrain_reply "$(_vitrain_values "$before")" "$word"
    return
  fi
  if [[ $word == -* ]] || ! _vitrain_argument "$verb" "$word"; then
    _vitrain_reply "$(_vitrain_options "$verb")" "$word"
  fi
}
complete -F _vitrain vitrain
)sh";

std::string reply_line(const Candidates& candidates) {
  const std::string words = join(candidates.words, " ");
  if (candidates.keys) {
    return "_vitrain_set \"$2\"";
  }
  if (candidates.files || candidates.folders) {
    return fmt::format(
        "_vitrain_files {} \"$2\" '{}'",
        candidates.folders ? "-d" : "-f",
        words);
  }
  return fmt::format("_vitrain_reply '{}' \"$2\"", words);
}

// Returns a shell function that handles its first argument according to `rows`,
// the cases of a `case` statement.
std::string case_function(
    const std::string& name,
    const std::string& rows,
    const char* otherwise = "") {
  return fmt::format(
      "{}() {{\n  case $1 in\n{}{}  esac\n}}\n", name, rows, otherwise);
}

std::string case_row(const std::string& pattern, const std::string& action) {
  return fmt::format("    {}) {} ;;\n", pattern, action);
}

std::string echo_line(const std::vector<std::string>& words) {
  return fmt::format("echo '{}'", join(words, " "));
}

std::string value_rows(const CompletionWords& words) {
  std::string rows;
  for (const Option& option : options()) {
    if (option.label.empty()) {
      continue;
    }
    const Candidates candidates = values_of(option, words);
    // Do not offer an optional value where the user begins an option.
    const std::string action =
        candidates.empty() ? ":" : reply_line(candidates);
    rows += case_row(
        fmt::format(
            "{}{}{}",
            option.name,
            option.alias.empty() ? "" : " | ",
            option.alias),
        option.implied.empty() ? action
                               : fmt::format("[[ $2 != -* ]] && {}", action));
  }
  return rows;
}

} // namespace

std::string bash_completion(const CompletionWords& words) {
  std::vector<std::string> firsts;
  std::string seconds;
  for (const FirstWord& first : first_words_of_verbs()) {
    firsts.push_back(first.word);
    std::vector<std::string> others;
    for (const VerbInfo* info : first.seconds) {
      others.push_back(split(info->words, ' ')[1]);
    }
    if (!others.empty()) {
      seconds += case_row(first.word, echo_line(others));
    }
  }
  std::string options;
  std::string arguments;
  for (const VerbInfo& info : verbs()) {
    std::vector<std::string> names;
    for (const Option* option : options_of(info.verb)) {
      names.push_back(fmt::format("-{}", option->name));
    }
    const std::string pattern = fmt::format("'{}'", info.words);
    options += case_row(pattern, echo_line(names));
    if (const Candidates behind = arguments_of(info, words); !behind.empty()) {
      arguments += case_row(pattern, reply_line(behind));
    }
  }
  std::vector<std::string> keys;
  std::string values;
  for (const CompletedKey& key : completed_keys(words)) {
    keys.push_back(key.path);
    if (!key.values.empty()) {
      values += case_row(key.path, echo_line(key.values));
    }
  }
  const char* none = "    *) return 1 ;;\n";
  return kBashStart +
      fmt::format(
             "_vitrain_firsts='{}'\n_vitrain_halves='{}'\n_vitrain_keys='{}'"
             "\n\n",
             join(firsts, " "),
             join(halves_of_verbs(), " "),
             join(keys, " ")) +
      case_function("_vitrain_seconds", seconds) +
      case_function("_vitrain_options", options) +
      case_function("_vitrain_values", values) + kBashSet +
      case_function("_vitrain_argument", arguments, none) +
      case_function("_vitrain_value", value_rows(words), none) + kBashMain;
}

} // namespace vitrain::config

#include "config/command_line/completion.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/command_line/options.h"
#include "config/foreign/words.h"
#include "config/schema/schema.h"
#include "config/sections/recipe.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr const char* kBash =
    R"sh(# Completion of vitrain in bash: written by `vitrain completion bash`.
_vitrain() {
  local kind line word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ ! -v kind ]]; then kind=$line; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${kind-w} != w ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "-$kind" -- "${word#=}")
  elif [[ ${COMPREPLY-} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _vitrain vitrain
)sh";

constexpr const char* kZsh = R"sh(#compdef vitrain
# Completion of vitrain in zsh: written by `vitrain completion zsh`.
_vitrain() {
  local line
  local -a lines keys others
  lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    line=${${line//:/\\:}/$'\t'/:}
    if [[ $line == *=(|:*) ]]; then keys+=("$line"); else others+=("$line"); fi
  done
  if (( $#keys )); then _describe -t keys key keys -S ''; fi
  if (( $#others )); then _describe -t words word others; fi
  case $lines[1] in
    (f) compset -P '-*='; _files ;;
    (d) compset -P '-*='; _files -/ ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _vitrain "$@"; else compdef _vitrain vitrain; fi
)sh";

constexpr const char* kFish =
    R"sh(# Completion of vitrain in fish: written by `vitrain completion fish`.
function __vitrain_complete
    set -l word (commandline -ct)
    set -l words (commandline -opc)
    set -l lines ($words[1] __complete $words[2..] "$word" 2>/dev/null)
    string join \n -- $lines[2..]
    switch "$lines[1]"
        case f
            __fish_complete_path "$word"
        case d
            __fish_complete_directories "$word" ''
    end
end
complete -c vitrain -f -a '(__vitrain_complete)'
)sh";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Returns the first sentence of a help text, without its full stop, and only up
// to a colon in it.
std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, std::min(text.find(". "), text.find(": ")));
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

// Collects the completions of a word.
class Completion {
 public:
  // `cut`: bytes of the word that are not repeated in completions.
  Completion(
      std::string_view word,
      std::size_t cut,
      const CompletionWords& known)
      : word_(word), cut_(cut), known_(known) {}

  void add(const std::string& candidate, std::string_view about = "") {
    if (candidate.starts_with(word_)) {
      lines_ += fmt::format(
          "{}{}{}\n",
          candidate.substr(cut_),
          about.empty() ? "" : "\t",
          first_sentence(about));
    }
  }

  void add_options(Verb verb) {
    // A command line without a verb is for train, or with -eval for eval.
    const VerbSet wanted =
        verb_set({verb, verb == Verb::kTrain ? Verb::kEval : verb});
    for (const Option& option : options()) {
      if ((option.verbs & wanted) != 0) {
        add(fmt::format(
                "{}{}", word_.starts_with("--") ? "--" : "-", option.name),
            option.help);
      }
    }
  }

  // Adds the values of an option; each begins with `before`, "-name=" or "".
  void add_values(const Option& option, std::string_view before) {
    const auto with = [&](const std::string& value) {
      add(std::string(before) + value);
    };
    if (option.words != nullptr) {
      std::ranges::for_each(option.words(), with);
    } else if (option.name == "launcher") {
      with("auto");
      with("none");
      std::ranges::for_each(known_.launchers, with);
    }
    if (!option.implied.empty() && has(option.label, option.implied)) {
      with(std::string(option.implied));
    }
    Recipe recipe;
    for (const Field& field : schema_of(recipe).fields) {
      const std::string key = fmt::format("{}{}=", before, field.path);
      if (field.path == option.key) {
        add_values(field, before);
      } else if (!has(option.label, "KEY=")) {
        continue;
      } else if (word_.starts_with(key)) {
        add_values(field, key);
      } else {
        add(key, field.help);
      }
    }
    if (has(option.label, "FOLDER")) {
      kind_ = 'd';
    } else if (has(option.label, "FILE") || has(option.label, "PATH")) {
      kind_ = 'f';
    }
  }

  // Adds the words that a verb takes; for a verb without any, its options.
  void add_arguments(const VerbInfo& verb) {
    if (verb.files == "SHELL") {
      for (const std::string& shell : all_names<Shell>()) {
        add(shell);
      }
    } else if (verb.files.starts_with("NAME")) {
      for (const std::string& model : known_.models) {
        add(model);
      }
    } else if (verb.files.empty()) {
      add_options(verb.verb);
    } else {
      const bool folders = has(verb.files, "RUN") || has(verb.files, "FOLDER");
      kind_ = folders ? 'd' : 'f';
    }
  }

  std::string text() const { return fmt::format("{}\n{}", kind_, lines_); }

 private:
  void add_values(const Field& field, std::string_view before) {
    std::vector<std::string> values = field.choices;
    if (field.path == "model.name") {
      values = known_.models;
    } else if (field.type == ScalarType::kBool) {
      values = {"true", "false"};
    }
    if (field.optional && !values.empty()) {
      values.emplace_back(field.none);
    }
    for (const std::string& value : values) {
      add(std::string(before) + value);
    }
  }

  std::string_view word_;
  std::size_t cut_;
  const CompletionWords& known_;
  char kind_ = 'w';
  std::string lines_;
};

// Joins NAME=VALUE again, which bash splits into three words. Returns the
// length of NAME= if the last word is such a one: bash completes only VALUE.
std::size_t join_values(std::vector<std::string>& words) {
  std::vector<std::string> joined;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && words[i] == "=") {
      cut = joined.back().append("=").size();
    } else if (i > 1 && words[i - 1] == "=") {
      joined.back() += words[i];
    } else {
      joined.push_back(words[i]);
      cut = 0;
    }
  }
  words = joined;
  return cut;
}

} // namespace

std::string completion_script(Shell shell) {
  return shell == Shell::kBash ? kBash : shell == Shell::kZsh ? kZsh : kFish;
}

std::string complete(
    std::vector<std::string> words,
    const CompletionWords& known) {
  const std::size_t cut = join_values(words);
  const std::string word = words.empty() ? "" : words.back();
  words.resize(words.empty() ? 0 : words.size() - 1);

  Completion found(word, cut, known);
  const bool is_option = word.starts_with('-');
  const VerbInfo* verb = find_verb(words);
  if (verb == nullptr && !is_option && words.size() < 2) {
    const std::string first = words.empty() ? "" : words[0];
    const std::vector<std::string> nexts = verb_words(first);
    for (const std::string& next : nexts) {
      words.push_back(next);
      const VerbInfo* info = find_verb(words);
      found.add(
          next,
          info != nullptr ? std::string(info->summary)
                          : join(verb_words(next), ", "));
      words.pop_back();
    }
    if (!nexts.empty()) {
      return found.text();
    }
  }
  const std::size_t equals = is_option ? word.find('=') : word.npos;
  std::string before = words.empty() ? "" : words.back(); // word of the option
  if (equals != word.npos) {
    before = word.substr(0, equals);
  }
  const Option* option = before.starts_with('-')
      ? find_option(foreign::option_name(before))
      : nullptr;
  if (equals != word.npos) {
    if (option != nullptr) {
      found.add_values(*option, before + "=");
    }
  } else if (
      option != nullptr && !option->label.empty() &&
      (option->implied.empty() || !is_option)) {
    found.add_values(*option, "");
  } else if (is_option) {
    found.add_options(verb != nullptr ? verb->verb : Verb::kTrain);
  } else {
    found.add_arguments(verb != nullptr ? *verb : info_of(Verb::kTrain));
  }
  return found.text();
}

} // namespace vitrain::config

#include "config/command_line/completion_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema/schema.h"
#include "config/sections/recipe.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

std::vector<std::string> words_of(
    const Field& field,
    const CompletionWords& words) {
  std::vector<std::string> values = field.choices;
  if (field.path == "model.name") {
    values = words.models;
  } else if (field.type == ScalarType::kBool) {
    values = {"true", "false"};
  }
  if (field.optional && !values.empty()) {
    values.emplace_back(field.none);
  }
  return values;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

Candidates values_of(const Option& option, const CompletionWords& words) {
  Candidates candidates;
  if (option.words != nullptr) {
    candidates.words = option.words();
  } else if (option.name == "launcher") {
    candidates.words = {"auto", "none"};
    candidates.words.insert(
        candidates.words.end(), words.launchers.begin(), words.launchers.end());
  } else if (!option.key.empty()) {
    Recipe recipe;
    const Schema schema = schema_of(recipe);
    const auto field =
        std::ranges::find(schema.fields, option.key, &Field::path);
    candidates.words = words_of(*field, words);
  }
  if (!option.implied.empty() && has(option.label, option.implied)) {
    candidates.words.emplace_back(option.implied);
  }
  candidates.keys = has(option.label, "KEY=");
  candidates.folders = has(option.label, "FOLDER");
  candidates.files = has(option.label, "FILE") || has(option.label, "PATH");
  return candidates;
}

Candidates arguments_of(const VerbInfo& verb, const CompletionWords& words) {
  Candidates candidates;
  if (verb.files.starts_with("SHELL")) {
    candidates.words = all_names<Shell>();
  } else if (verb.files.starts_with("NAME")) {
    candidates.words = words.models;
  } else if (has(verb.files, "RUN") || has(verb.files, "FOLDER")) {
    candidates.folders = true;
  } else {
    candidates.files = !verb.files.empty();
  }
  return candidates;
}

std::vector<CompletedKey> completed_keys(const CompletionWords& words) {
  Recipe recipe;
  std::vector<CompletedKey> keys;
  for (const Field& field : schema_of(recipe).fields) {
    keys.push_back({field.path, words_of(field, words)});
  }
  return keys;
}

std::vector<FirstWord> first_words_of_verbs() {
  std::vector<FirstWord> firsts;
  for (const VerbInfo& info : verbs()) {
    const std::vector<std::string> parts = split(info.words, ' ');
    auto found = std::ranges::find(firsts, parts[0], &FirstWord::word);
    if (found == firsts.end()) {
      firsts.push_back({.word = parts[0]});
      found = firsts.end() - 1;
    }
    if (parts.size() == 1) {
      found->summary = info.summary;
    } else {
      found->summary += (found->seconds.empty() ? "" : ", ") + parts[1];
      found->seconds.push_back(&info);
    }
  }
  return firsts;
}

std::vector<std::string> halves_of_verbs() {
  std::vector<std::string> words;
  for (const FirstWord& first : first_words_of_verbs()) {
    if (!first.seconds.empty()) {
      words.push_back(first.word);
    }
  }
  return words;
}

std::vector<std::string> whole_verbs() {
  std::vector<std::string> words;
  for (const VerbInfo& info : verbs()) {
    if (!has(info.words, " ")) {
      words.emplace_back(info.words);
    }
  }
  return words;
}

std::vector<const Option*> options_of(Verb verb) {
  const VerbSet wanted =
      verb == Verb::kTrain ? verb_set({verb, Verb::kEval}) : verb_set({verb});
  std::vector<const Option*> found;
  for (const Option& option : options()) {
    if ((option.verbs & wanted) != 0) {
      found.push_back(&option);
    }
  }
  return found;
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = std::min(text.find(". "), text.find(": "));
  text = text.substr(0, end);
  return std::string(
      text.ends_with('.') ? text.substr(0, text.size() - 1) : text);
}

std::string completion(Shell shell, const CompletionWords& words) {
  switch (shell) {
    case Shell::kBash:
      return bash_completion(words);
    case Shell::kZsh:
      return zsh_completion(words);
    case Shell::kFish:
      break;
  }
  return fish_completion(words);
}

} // namespace vitrain::config

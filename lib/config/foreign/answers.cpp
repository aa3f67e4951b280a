#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/foreign/translation.h"
#include "config/foreign/words.h"
#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

struct Found {
  const Program* program = nullptr;
  const Word* word = nullptr;
};

// Returns the first program that has a word; nulls if none has.
Found find_first(std::string_view word) {
  for (const Program* program : programs()) {
    if (const Word* found = program->find(word)) {
      return {program, found};
    }
  }
  return {};
}

const Synonym* find_synonym(std::string_view word) {
  const auto found = std::ranges::find(synonyms(), word, &Synonym::name);
  return found == synonyms().end() ? nullptr : &*found;
}

bool is_key(std::string_view like) {
  return like.find('.') != std::string_view::npos;
}

// Returns "-set KEY=VALUE", quoted for a shell if necessary.
std::string setting(std::string_view key, std::string_view value) {
  const bool plain =
      value.find_first_of(" '\"[]{}$*&;|<>()`\\") == std::string_view::npos;
  const std::string_view quote = plain ? "" : "'";
  return fmt::format("-set {}={}{}{}", key, quote, value, quote);
}

// Translates a word with these values; nullopt if it has no translation.
std::optional<Translation> translated(
    const Found& found,
    const std::vector<std::string>& values) {
  Problems problems;
  Words words(*found.program);
  if (!found.word->beside.empty()) {
    const auto beside = parse_document(found.word->beside, "beside", problems);
    words.read_yaml(*beside, "beside", problems);
  }
  std::vector<std::string> line{"--" + std::string(found.word->name)};
  line.insert(line.end(), values.begin(), values.end());
  words.read_command(line, "option", problems);
  if (!problems.empty()) {
    return std::nullopt;
  }
  return translate(words);
}

// Returns the settings of a translation: the first key, and every other key
// that differs from its default. If the word has no translation, or not for
// this value (the reason then follows), returns the first key with `VALUE` for
// its value.
std::string settings(
    const Found& found,
    const std::vector<std::string>& values) {
  std::optional<Translation> translation = translated(found, values);
  const std::vector<std::string> keys = split(found.word->sets, ' ');
  if (!translation) {
    return setting(keys.front(), "VALUE");
  }
  Recipe defaults;
  const Schema here = schema_of(translation->recipe);
  const Schema before = schema_of(defaults);
  std::vector<std::string> parts;
  for (const std::string& key : keys) {
    const auto field = std::ranges::find(here.fields, key, &Field::path);
    const auto old = std::ranges::find(before.fields, key, &Field::path);
    const std::string value = write_value(*field);
    if (parts.empty() || value != write_value(*old)) {
      parts.push_back(setting(key, value));
    }
  }
  for (const Remark& remark : translation->missing) {
    if (remark.word.starts_with(std::string(found.word->name) + ":")) {
      return fmt::format("{}; {}", setting(keys.front(), "VALUE"), remark.text);
    }
  }
  return join(parts, " ");
}

// Returns "here: " and the equivalent setting or option of vitrain, or the
// reason why there is none.
std::string counterpart(
    const Found& found,
    const std::vector<std::string>& values) {
  const Word& word = *found.word;
  if (word.sets.empty()) {
    return fmt::format(
        "{}: {}",
        word.without == Without::kIdle         ? "not needed here"
            : word.without == Without::kEither ? "here"
                                               : "without a counterpart here",
        word.note);
  }
  if (word.option.empty()) {
    return "here: " + settings(found, values);
  }
  std::string option(word.option);
  if (const std::size_t place = option.find('%'); place != option.npos) {
    option.replace(
        place, 1, values.empty() ? "VALUE" : printable(values.front()));
  }
  return "here: " + option;
}

} // namespace

const Word* Program::find(std::string_view word) const {
  const auto found = std::ranges::find_if(words, [&](const Word& known) {
    return word == known.name || (!word.empty() && word == known.other);
  });
  return found == words.end() ? nullptr : &*found;
}

std::span<const Program* const> programs() {
  static const Program* const list[] = {&timm(), &torchvision()};
  return list;
}

bool is_option(std::string_view argument) {
  return argument.size() >= 2 && argument[0] == '-' &&
      (argument[1] < '0' || argument[1] > '9') && argument[1] != '.';
}

std::string option_name(std::string_view argument) {
  std::string name(argument.substr(argument.starts_with("--") ? 2 : 1));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string answer(
    std::string_view word,
    const std::vector<std::string>& values) {
  if (const Found found = find_first(word); found.word != nullptr) {
    std::vector<std::string> owners;
    for (const Program* program : programs()) {
      if (program->find(word) != nullptr) {
        owners.push_back(std::string(program->name) + "'s");
      }
    }
    return fmt::format(
        "is {}; {}", join(owners, " and "), counterpart(found, values));
  }
  const Synonym* synonym = find_synonym(word);
  if (synonym == nullptr) {
    return "";
  }
  if (synonym->like.empty()) {
    return fmt::format("is {}; here: {}", synonym->owners, synonym->note);
  }
  return fmt::format(
      "is {}; {}",
      synonym->owners,
      is_key(synonym->like) ? "here: " +
              setting(synonym->like,
                      values.empty() ? "VALUE" : printable(values.front()))
                            : counterpart(find_first(synonym->like), values));
}

std::size_t values_of(
    std::string_view word,
    std::span<const std::string> following) {
  const Synonym* synonym = find_synonym(word);
  const Found found = find_first(synonym != nullptr ? synonym->like : word);
  return values_of(
      found.word != nullptr ? found.word->takes : Takes::kText, following);
}

std::size_t values_of(Takes takes, std::span<const std::string> following) {
  if (takes == Takes::kFlag) {
    return 0;
  }
  const bool many = takes_list(takes) || takes == Takes::kMap;
  std::size_t count = 0;
  while (count < following.size() && !is_option(following[count]) &&
         (many || count == 0)) {
    ++count;
  }
  return count;
}

std::string key_of(std::string_view word) {
  if (word.size() < 2) { // too short to identify a key
    return "";
  }
  const Synonym* synonym = find_synonym(word);
  const std::string_view like = synonym != nullptr ? synonym->like : word;
  if (is_key(like)) {
    return std::string(like);
  }
  const Found found = find_first(like);
  return found.word == nullptr ? "" : split(found.word->sets, ' ').front();
}

} // namespace vitrain::config::foreign

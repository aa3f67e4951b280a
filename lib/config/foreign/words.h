#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/document.h"
#include "config/sections/recipe.h"

// Words of other programs' training scripts and their equivalents in vitrain:
// answers of the command line to a single word, and translations of whole
// command lines by `config from-...`.
namespace vitrain::config::foreign {

// Type of a word's value.
enum class Takes {
  kFlag,
  kInteger,
  kNumber,
  kText,
  kNumbers,
  kIntegers,
  kTexts,
  kMap,
};

constexpr bool takes_list(Takes takes) {
  return takes == Takes::kNumbers || takes == Takes::kIntegers ||
      takes == Takes::kTexts;
}

// Treatment of a word that sets no key. kMissing: changes the result and cannot
// be translated. kIdle: does not change the model. kByValue: kMissing or kIdle
// depending on its value, as the translation decides.
enum class Without { kMissing, kIdle, kByValue };

struct Word {
  std::string_view name; // with '_', as in args.yaml
  Takes takes = Takes::kText;
  std::string_view initial; // default, as YAML
  // Keys that it sets, separated by blanks; empty: none.
  std::string_view sets;
  // Further information; for a word that sets nothing, the reason.
  std::string_view note;
  Without without = Without::kMissing;
  std::string_view other{}; // second name: "b"
  // Words that must be set for it to have an effect, as YAML.
  std::string_view beside{};
  std::string_view
      option{}; // option of vitrain's command line, with % for the value
  std::string_view alone{}; // value if it is given without one
  // True: only older versions have it; a prefix of it is not accepted.
  bool earlier = false;
  // True: the keys that it sets get its value, unless it has none.
  bool copied = false;

  constexpr Word also(std::string_view name_too) const {
    Word word = *this;
    word.other = name_too;
    return word;
  }
  constexpr Word by(std::string_view option_here) const {
    Word word = *this;
    word.option = option_here;
    return word;
  }
  constexpr Word alone_as(std::string_view value) const {
    Word word = *this;
    word.alone = value;
    return word;
  }
  constexpr Word with(std::string_view others) const {
    Word word = *this;
    word.beside = others;
    return word;
  }
  constexpr Word of_earlier_versions() const {
    Word word = *this;
    word.earlier = true;
    return word;
  }
};

constexpr Word to(
    std::string_view name,
    Takes takes,
    std::string_view initial,
    std::string_view sets,
    std::string_view note = "") {
  return {name, takes, initial, sets, note};
}
// A word whose value needs no translation.
constexpr Word copy(
    std::string_view name,
    Takes takes,
    std::string_view initial,
    std::string_view sets,
    std::string_view note = "") {
  Word word = to(name, takes, initial, sets, note);
  word.copied = true;
  return word;
}
constexpr Word missing(
    std::string_view name,
    Takes takes,
    std::string_view initial,
    std::string_view note) {
  return {name, takes, initial, "", note};
}
constexpr Word idle(
    std::string_view name,
    Takes takes,
    std::string_view initial,
    std::string_view note) {
  return {name, takes, initial, "", note, Without::kIdle};
}

constexpr Word by_value(
    std::string_view name,
    Takes takes,
    std::string_view initial,
    std::string_view note) {
  return {name, takes, initial, "", note, Without::kByValue};
}

// Returns true for an option, false for a value such as "-1": options begin
// with a dash that does not begin a number.
bool is_option(std::string_view argument);
// Returns "batch_size" for "--batch-size".
std::string option_name(std::string_view argument);

class Words;

// Difference between the recipe and the translated arguments.
struct Remark {
  std::string word; // word and its value: "opt: lamb"
  std::string text;
};

struct Translation {
  Recipe recipe;
  std::vector<Remark> missing; // left out, although they change the result
  std::vector<Remark> differs; // translated to something different
  std::vector<std::string> idle; // words that do not change the result
};

// A program whose arguments are translated.
struct Program {
  std::string_view name; // "timm"
  std::string_view title; // "timm's train.py"
  std::span<const Word> words;
  // Translates `words` to keys of to.recipe; adds to `missing` and `differs`
  // the words for which that depends on their values.
  void (*translate)(const Words& words, Translation& to);

  // Returns null for an unknown word.
  const Word* find(std::string_view word) const;
};

// An option of another program's command line, as that program reads it.
struct GivenOption {
  std::string name; // name in args.yaml: "batch_size"
  const Word* word = nullptr; // null: the program has no such option
  // Value written in the same word: "--lr=1", "-b64".
  std::optional<std::string> value;
  // Options that begin with the given, ambiguous prefix.
  std::vector<std::string> candidates;
};
// Reads `given` as Python's argparse does: accepts unique prefixes ("--jsd"),
// and a value attached to a one-letter option.
GivenOption read_option(const Program& program, const std::string& given);

// Functions for Program::translate.
void translate_timm(const Words& words, Translation& to);
void translate_torchvision(const Words& words, Translation& to);
const Program& timm();
const Program& torchvision();
std::span<const Program* const> programs();

// Returns the name of a network that torchvision calls `model`, as "vit_b_16",
// or "" if torchvision has no such network or both names are equal.
std::string_view name_of_torchvision(std::string_view model);

// A word of programs whose command lines are not translated as a whole.
struct Synonym {
  std::string_view name;
  std::string_view owners; // "DeiT's and transformers'"
  // Equivalent: a word of timm or torchvision, or a key of vitrain; empty:
  // none.
  std::string_view like;
  std::string_view note{}; // reason if there is no equivalent
};
std::span<const Synonym> synonyms();

// Returns the message for another program's option and its values, "is timm's;
// here: -set run.epochs=300"; "" for an unknown option.
std::string answer(
    std::string_view word,
    const std::vector<std::string>& values);
// Returns how many of the `following` words are values of `word`.
std::size_t values_of(
    std::string_view word,
    std::span<const std::string> following);
// Same, for a word of this type.
std::size_t values_of(Takes takes, std::span<const std::string> following);
// Returns tables of all words as Markdown, for docs/config.md.
std::string words_reference();
// Returns the key of the recipe that an option of another program sets, the
// first one if it sets several; "" if it sets none, is unknown or has one
// letter.
std::string key_of(std::string_view word);

} // namespace vitrain::config::foreign

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/document.h"
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

// Kinds of words that set no key. kMissing: changes the result and cannot be
// translated. kIdle: does not change the model. kByValue: the translation
// decides between the two.
enum class Without { kMissing, kIdle, kByValue };

struct Word {
  std::string_view name; // with '_', as args.yaml has it
  Takes takes = Takes::kText;
  std::string_view initial; // its default, as YAML
  // The keys that it sets, between blanks; empty: none.
  std::string_view sets;
  // Further information; for a word that sets nothing, the reason.
  std::string_view note;
  Without without = Without::kMissing;
  std::string_view other{}; // another name: "b"
  std::string_view beside{}; // words that it needs to have an effect, as YAML
  std::string_view
      option{}; // option of vitrain's command line, with % for the value
  std::string_view alone{}; // its value if it is given without one
  // From earlier versions: prefixes of it are not accepted.
  bool earlier = false;

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

// An option rather than a value: a dash that does not begin a number.
bool is_option(std::string_view argument);
// "batch_size" of "--batch-size".
std::string option_name(std::string_view argument);

class Words;

// Something that the recipe does not do as it was asked to.
struct Remark {
  std::string word; // with its value: "opt: lamb"
  std::string text;
};

struct Translation {
  Recipe recipe;
  std::vector<Remark> missing; // left out, although it changes the result
  std::vector<Remark> differs; // done in another way
  std::vector<std::string> idle; // words that change nothing of the result
};

// One of them.
struct Program {
  std::string_view name; // "timm"
  std::string_view title; // "timm's train.py"
  std::span<const Word> words;
  // Sets what `words` says; adds to missing and differs what depends on values.
  void (*translate)(const Words& words, Translation& to);

  // Returns null for a name that it does not have.
  const Word* find(std::string_view word) const;
};

// How a program reads an option of its command line.
struct GivenOption {
  std::string name; // as an argument of args.yaml, "batch_size"
  const Word* word = nullptr; // null: it has no such option
  std::optional<std::string> value; // within the option: "--lr=1", "-b64"
  std::vector<std::string> candidates; // of a prefix that several begin with
};
// Reads `given` as Python's argparse does: including unique prefixes ("--jsd")
// and a value attached to a one-letter option.
GivenOption read_option(const Program& program, const std::string& given);

const Program& timm();
const Program& torchvision();
std::span<const Program* const> programs();

// A word of programs that are not translated as a whole.
struct Synonym {
  std::string_view name;
  std::string_view owners; // "DeiT's and transformers'"
  // Equivalent: a word of timm's or torchvision's, a key of vitrain, or
  // nothing.
  std::string_view like;
  std::string_view note{}; // reason if there is no equivalent
};
std::span<const Synonym> synonyms();

// Returns the message for another program's option with its values, "is timm's;
// here: -set run.epochs=300"; "" for an unknown option.
std::string answer(
    std::string_view word,
    const std::vector<std::string>& values);
// Returns the number of words after `word` that belong to it.
std::size_t values_of(
    std::string_view word,
    std::span<const std::string> following);
// As above, for a word that takes such values.
std::size_t values_of(Takes takes, std::span<const std::string> following);
// All of it as Markdown, for docs/config.md.
std::string words_reference();
// The key that a word of another program is first of all about, or "".
std::string key_of(std::string_view word);

} // namespace vitrain::config::foreign

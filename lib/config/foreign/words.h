#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/document.h"
#include "config/sections/recipe.h"

// The words of other programs' training scripts, and what says the same here:
// what the command line answers to them, and what `config from-...` makes of
// a whole list of them.
namespace vitrain::config::foreign {

// What stands behind a word.
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

// What a word that sets nothing is. kMissing: it changes the result, and cannot
// be translated. kIdle: it makes no other model. kByValue: one or the other, as
// the translation decides.
enum class Without { kMissing, kIdle, kByValue };

struct Word {
  std::string_view name; // with '_', as args.yaml has it
  Takes takes = Takes::kText;
  std::string_view initial; // its default, as YAML
  // The keys that it sets, between blanks; empty: none.
  std::string_view sets;
  // What else there is to know; of a word that sets nothing: why.
  std::string_view note;
  Without without = Without::kMissing;
  std::string_view other{}; // another name: "b"
  std::string_view beside{}; // words without which it says nothing, as YAML
  std::string_view option{}; // of the command line here, with % for the value
  std::string_view alone{}; // its value where nothing stands behind it
  // Of earlier versions: argparse of the present one knows no prefix of it.
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
// Reads `given` as Python's argparse does: also unique prefixes ("--jsd") and
// the value right behind an option of one letter.
GivenOption read_option(const Program& program, const std::string& given);

const Program& timm();
const Program& torchvision();
std::span<const Program* const> programs();

// A word of programs that are not translated as a whole.
struct Synonym {
  std::string_view name;
  std::string_view owners; // "DeiT's and transformers'"
  // The same: a word of timm's or torchvision's, a key here, or nothing.
  std::string_view like;
  std::string_view note{}; // of one that has no counterpart
};
std::span<const Synonym> synonyms();

// What to say of an option that another program has: "is timm's; here: -set
// run.epochs=300", with the values that stand behind it; "" of one that none
// has.
std::string answer(
    std::string_view word,
    const std::vector<std::string>& values);
// How many of the words that follow `word` on a command line belong to it.
std::size_t values_of(
    std::string_view word,
    std::span<const std::string> following);
// The same of a word that takes such values.
std::size_t values_of(Takes takes, std::span<const std::string> following);
// All of it as Markdown, for docs/config.md.
std::string words_reference();
// The key that a word of another program is first of all about, or "".
std::string key_of(std::string_view word);

} // namespace vitrain::config::foreign

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

// Treatment of a word that sets no key and has a non-default value. kMissing:
// changes the result and cannot be translated (Translation::missing). kIdle:
// does not change the result (Translation::idle). kEither: one of these,
// depending on the value, as Program::translate decides.
enum class Without { kMissing, kIdle, kEither };

struct Word {
  std::string name; // with '_', as in args.yaml
  std::string other; // second name: "b"; "": none
  Takes takes = Takes::kText;
  std::string initial; // default, as YAML
  // Keys of the recipe that it sets, separated by blanks; empty: none.
  std::string sets;
  // Further information; for a word that sets nothing, the reason.
  std::string note;
  // Equivalent on vitrain's command line, with % for the value; answer() names
  // it instead of the keys in `sets`.
  std::string option;
  // Other words with values that give it an effect, as YAML; answer()
  // translates the word together with them.
  std::string beside;
  Without without = Without::kMissing; // only used if `sets` is empty
  std::vector<std::string> rules; // further words of the treatment's column
  // Value of the word when it is given without one; "": needs one. Unused for
  // kFlag and kMap, which never need one.
  std::string alone;
  // True: only older versions of the program have it; a prefix of it is not
  // accepted.
  bool earlier = false;
  // True: the keys in `sets` get its value, unless that is null or empty.
  bool copied = false;
};

// Returns the rows of a table in a text: its lines without blanks at both ends.
// A line that begins with four blanks continues the row above it.
std::vector<std::string> table_rows(std::string_view text);

// Reads a program's words from a table with the columns name and second name,
// treatment, default, sets, note, option and beside, separated by " | "; empty
// columns at the end are left out. The note `"` repeats that of the row above.
// The treatment is `to` (Program::translate translates the word), `copy`
// (Word::copied), `missing`, `idle` or `either` (Without), then the type of the
// value, then Word::rules, of which `alone=VALUE` and `earlier` set the members
// of these names.
std::vector<Word> word_table(std::string_view text);

// Returns true for "--lr" and "-b", false for "-", "-1" and "-.5": an option is
// a dash and more, but no negative number.
bool is_option(std::string_view argument);
// Returns "batch_size" for "--batch-size". `argument` must begin with a dash.
std::string option_name(std::string_view argument);

class Words;

// Difference between the recipe and the translated arguments.
struct Remark {
  std::string word; // word and its value: "opt: lamb"
  std::string text; // reason, or what there is instead
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
  std::vector<Word> words;
  // Sets to.recipe from words with the treatment `to`, and adds words to
  // to.missing, to.differs and to.idle if that depends on their values.
  // foreign::translate() does the rest: Word::copied, kMissing, kIdle and
  // unknown words.
  void (*translate)(const Words& words, Translation& to);

  // Returns the word with this name or second name; null if there is none.
  const Word* find(std::string_view word) const;
};

// An option of another program's command line, as that program reads it.
struct GivenOption {
  // Word::name; if `word` is null, the given name: "batch_size".
  std::string name;
  const Word* word = nullptr; // null: no such option, or an ambiguous prefix
  // Value written in the same word: "--lr=1", "-b64".
  std::optional<std::string> value;
  // Names of the options that begin with an ambiguous prefix; else empty.
  std::vector<std::string> candidates;
};
// Reads `given` as Python's argparse does: accepts unique prefixes ("--jsd"),
// and a value attached to a one-letter option.
GivenOption read_option(const Program& program, const std::string& given);

// Functions for Program::translate.
void translate_timm(const Words& words, Translation& to);
void translate_torchvision(const Words& words, Translation& to);

// The programs; programs() has all of them.
const Program& timm();
const Program& torchvision();
std::span<const Program* const> programs();

// Returns vitrain's name, "vit_base_patch16_224", of the network that
// torchvision calls `model`, "vit_b_16"; "" if torchvision has no such network
// or both names are equal.
std::string_view name_of_torchvision(std::string_view model);

// A word of programs whose command lines are not translated as a whole.
struct Synonym {
  std::string name;
  std::string owners; // "DeiT's and transformers'"
  // Equivalent: a word of timm or torchvision, or a key of the recipe, which
  // contains a dot; empty: none.
  std::string like;
  std::string note; // if `like` is empty: what there is instead
};
const std::vector<Synonym>& synonyms();

// Returns the message for another program's option and its values, "is timm's;
// here: -set run.epochs=300"; "" for an option that no program has. `word`,
// also below: a name as of option_name().
std::string answer(
    std::string_view word,
    const std::vector<std::string>& values);
// Returns how many of the first `following` words are values of `word`; at most
// one if no program has it.
std::size_t values_of(
    std::string_view word,
    std::span<const std::string> following);
// As the function above, for a word of this type.
std::size_t values_of(Takes takes, std::span<const std::string> following);
// Returns tables of the words of programs() as Markdown, for docs/config.md.
std::string words_reference();
// Returns the key of the recipe that an option of another program sets, the
// first one if it sets several; "" if it sets none, is unknown or has one
// letter.
std::string key_of(std::string_view word);

} // namespace vitrain::config::foreign

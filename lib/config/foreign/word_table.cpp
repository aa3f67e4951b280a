#include <algorithm>
#include <array>
#include <utility>

#include "config/foreign/words.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

// Types of values by name, in the order of Takes.
constexpr auto kTypes = std::to_array<std::string_view>(
    {"flag",
     "integer",
     "number",
     "text",
     "numbers",
     "integers",
     "texts",
     "map"});
// Treatments of words that set nothing, in the order of Without.
constexpr auto kTreatments =
    std::to_array<std::string_view>({"missing", "idle", "either"});

template <typename Enum, std::size_t kCount>
Enum named(
    const std::array<std::string_view, kCount>& names,
    std::string_view name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

Word read_word(const std::string& row, const std::string& note_above) {
  constexpr std::size_t kColumns = 7;
  std::vector<std::string> cells;
  for (const std::string& cell : split(row, '|')) {
    cells.emplace_back(trim(cell));
  }
  cells.resize(kColumns);
  Word word;
  const std::vector<std::string> names = split(cells[0], ' ');
  word.name = names.front();
  word.other = names.size() > 1 ? names.back() : "";
  const std::vector<std::string> treatment = split(cells[1], ' ');
  word.copied = treatment[0] == "copy";
  word.takes = named<Takes>(kTypes, treatment[1]);
  word.initial = cells[2];
  word.sets = cells[3];
  if (word.sets.empty()) {
    word.without = named<Without>(kTreatments, treatment[0]);
  }
  word.rules.assign(treatment.begin() + 2, treatment.end());
  for (const std::string& rule : word.rules) {
    word.earlier = word.earlier || rule == "earlier";
    word.alone = rule.starts_with("alone=") ? rule.substr(6) : word.alone;
  }
  word.note = cells[4] == "\"" ? note_above : cells[4];
  word.option = cells[5];
  word.beside = cells[6];
  return word;
}

} // namespace

std::vector<std::string> table_rows(std::string_view text) {
  std::vector<std::string> rows;
  for (const std::string& line : split(text, '\n')) {
    const std::string row(trim(line));
    if (line.starts_with("    ")) {
      rows.back() += " " + row;
    } else if (!row.empty()) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<Word> word_table(std::string_view text) {
  std::vector<Word> words;
  for (const std::string& row : table_rows(text)) {
    words.push_back(read_word(row, words.empty() ? "" : words.back().note));
  }
  return words;
}

} // namespace vitrain::config::foreign

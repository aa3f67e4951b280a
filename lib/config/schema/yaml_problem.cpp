#include "config/schema/yaml_problem.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {
namespace {

constexpr std::size_t kLongestShown = 60;

std::string shown(std::string_view text) {
  const std::string whole = hide_user_info(text); // before it is cut
  const std::string_view trimmed = trim(whole);
  return printable(trimmed.substr(0, kLongestShown)) +
      (trimmed.size() > kLongestShown ? "..." : "");
}

bool is_blank(std::string_view row) {
  const std::string_view text = trim(row);
  return text.empty() || text.front() == '#';
}

std::size_t indentation(std::string_view row) {
  return std::min(row.find_first_not_of(' '), row.size());
}

// Returns the indentations that a line after these rows may have, the innermost
// last.
std::vector<std::size_t> open_levels(
    const std::vector<std::string>& rows,
    std::size_t count) {
  std::vector<std::size_t> levels;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_blank(rows[i])) {
      continue;
    }
    const std::size_t own = indentation(rows[i]);
    while (!levels.empty() && levels.back() > own) {
      levels.pop_back();
    }
    if (levels.empty() || levels.back() < own) {
      levels.push_back(own);
    }
  }
  return levels;
}

std::string levels_text(const std::vector<std::size_t>& levels) {
  std::vector<std::string> texts;
  for (const std::size_t level : levels) {
    texts.push_back(std::to_string(level));
  }
  return join(texts, " or ");
}

// Explains why yaml-cpp found neither the next entry nor the end of a block:
// the file ends, text follows a value, a line has an indentation that no block
// above it has, or a line is not a key with a colon. `block` names the block,
// such as "map of keys" or "list".
std::string explain_block(
    const std::vector<std::string>& rows,
    std::size_t row,
    std::size_t column,
    const char* block) {
  if (row >= rows.size()) {
    return fmt::format("the file ends within a {}", block);
  }
  const std::string& text = rows[row];
  const std::size_t own = indentation(text);
  const std::string_view rest =
      std::string_view(text).substr(std::min(column, text.size()));
  if (column > own) {
    return fmt::format(
        "expected the end of the line, got '{}': put a value of several words "
        "in quotes as a whole",
        shown(rest));
  }
  const std::vector<std::size_t> levels = open_levels(rows, row);
  if (!levels.empty() && std::ranges::find(levels, own) == levels.end()) {
    return fmt::format(
        "'{}' is indented by {} space{}, and the keys above it by {}: align it "
        "with the keys of its section",
        shown(text),
        own,
        own == 1 ? "" : "s",
        levels_text(levels));
  }
  return fmt::format(
      "expected a key and a colon, as in `lr: 0.1`, got '{}'", shown(rest));
}

// Explains a colon inside a value. If it is the first colon of its row,
// yaml-cpp read the row as a continuation of the value in the row above.
std::string explain_colon(
    const std::vector<std::string>& rows,
    std::size_t row,
    std::size_t column) {
  if (row >= rows.size()) {
    return "a colon inside a value";
  }
  std::size_t above = row;
  while (above > 0 && is_blank(rows[above - 1])) {
    --above;
  }
  const bool first = rows[row].find(':') >= column;
  if (!first || above == 0) {
    return "a second colon in a line: put the value in quotes";
  }
  const std::string& before = rows[above - 1];
  if (before.find(':') == before.npos) {
    return fmt::format(
        "expected a key and a colon, as in `lr: 0.1`, got '{}' in line {}",
        shown(before),
        above);
  }
  return fmt::format(
      "'{}' is indented by {}, and the line above, which has a value already, "
      "by {}: align them",
      shown(rows[row]),
      indentation(rows[row]),
      indentation(before));
}

// Returns a clearer text for those messages of yaml-cpp that name their cause
// precisely enough; other messages unchanged, but printable.
std::string plain_words(const std::string& message) {
  struct Words {
    std::string_view message;
    const char* words;
  };
  static const std::array replacements{
      Words{
          YAML::ErrorMsg::END_OF_MAP_FLOW,
          "a { is not closed: expected a comma or }"},
      Words{
          YAML::ErrorMsg::END_OF_SEQ_FLOW,
          "a [ is not closed: expected a comma or ]"},
      Words{
          YAML::ErrorMsg::FLOW_END,
          "a ] or } that nothing opens, or that another bracket needs closed "
          "first"},
      Words{
          YAML::ErrorMsg::MAP_KEY,
          "a key inside a value: put the value in quotes, or write the key on "
          "a line of its own"},
      Words{
          YAML::ErrorMsg::BLOCK_ENTRY,
          "a '-' inside a value: write each item of a list on a line of its "
          "own, below its key"},
      Words{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is opened and not closed"},
      Words{
          YAML::ErrorMsg::DOC_IN_SCALAR,
          "a quote is opened and not closed before --- or ..."},
      Words{
          YAML::ErrorMsg::UNKNOWN_TOKEN,
          "a value cannot begin with this character: put it in quotes"}};
  const auto found = std::ranges::find(replacements, message, &Words::message);
  return found == replacements.end() ? printable(message) : found->words;
}

} // namespace

std::string explain_yaml_problem(
    std::string_view text,
    int line,
    int column,
    const std::string& message) {
  const auto row = static_cast<std::size_t>(std::max(line, 1) - 1);
  const auto place = static_cast<std::size_t>(std::max(column, 1) - 1);
  if (message == YAML::ErrorMsg::END_OF_MAP) {
    return explain_block(split(text, '\n'), row, place, "map of keys");
  }
  if (message == YAML::ErrorMsg::END_OF_SEQ) {
    return explain_block(split(text, '\n'), row, place, "list");
  }
  if (message == YAML::ErrorMsg::MAP_VALUE) {
    return explain_colon(split(text, '\n'), row, place);
  }
  return plain_words(message);
}

} // namespace vitrain::config

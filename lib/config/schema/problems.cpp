#include "config/schema/problems.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "core/check.h"

namespace vitrain::config {
namespace {

// Maximum number of printed lines; a malicious file may have 100,000 problems.
constexpr std::size_t kLinesShown = 100;

} // namespace

std::string Position::text() const {
  return line > 0 ? fmt::format("{}:{}:{}", source, line, column) : source;
}

void Problems::announce(const std::string& source) {
  order_.try_emplace(source, order_.size());
}

void Problems::add(
    const Position& position,
    const std::string& key,
    std::string text) {
  announce(position.source);
  const std::size_t rank = order_.at(position.source);
  list_.push_back({position, key, std::move(text), rank});
}

std::string Problems::text() const {
  std::vector<const Problem*> sorted;
  for (const Problem& problem : list_) {
    sorted.push_back(&problem);
  }
  const auto place = [&](const Problem* problem) {
    return std::tuple(
        problem->rank, problem->position.line, problem->position.column);
  };
  std::stable_sort(
      sorted.begin(), sorted.end(), [&](const Problem* a, const Problem* b) {
        return place(a) < place(b);
      });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kLinesShown); ++i) {
    const std::string where = sorted[i]->position.text();
    const std::string& key = sorted[i]->key;
    text += fmt::format(
        "{}{}{}{}{}\n",
        where,
        where.empty() ? "" : ": ",
        key,
        key.empty() ? "" : ": ",
        sorted[i]->text);
  }
  if (sorted.size() > kLinesShown) {
    text += fmt::format("... and {} more\n", sorted.size() - kLinesShown);
  }
  text += fmt::format(
      "{} problem{} found; nothing was started.",
      sorted.size(),
      sorted.size() == 1 ? "" : "s");
  return text;
}

void Problems::throw_if_any() const {
  VITRAIN_CHECK(empty(), ExitCode::kUsage, "{}", text());
}

} // namespace vitrain::config

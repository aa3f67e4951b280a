#include "model_table.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace vitrain::app {
namespace {

struct Row {
  std::string_view name;
  models::ModelCounts counts;
};

// Table that count_models.cpp writes.
constexpr Row kRows[] = {
#include "model_rows.inc"
};

} // namespace

std::optional<std::vector<models::ModelCounts>> counts_in_table(
    const std::vector<std::string>& names) {
  std::vector<models::ModelCounts> counts;
  for (const std::string& name : names) {
    const auto* row = std::ranges::find(kRows, name, &Row::name);
    if (row == std::end(kRows)) {
      return std::nullopt;
    }
    counts.push_back(row->counts);
  }
  return counts;
}

} // namespace vitrain::app

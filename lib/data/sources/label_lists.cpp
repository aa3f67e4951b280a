#include "data/sources/label_lists.h"

#include <algorithm>

#include "core/text.h"

namespace vitrain::data {

std::vector<std::string> labels_in(
    std::string_view text,
    std::string_view between) {
  std::vector<std::string> labels;
  while (text != "-" && !text.empty()) {
    const std::size_t end = std::min(text.find_first_of(between), text.size());
    if (const auto one = trim(text.substr(0, end)); !one.empty()) {
      labels.emplace_back(one);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return labels;
}

bool are_label_numbers(std::string_view text) {
  return std::ranges::all_of(
      labels_in(text, kBetweenInText), [](const std::string& one) {
        std::int64_t label = 0;
        return parse_int(one, label);
      });
}

std::int64_t finish_label_sets(Index::Contents& contents) {
  contents.set_starts.push_back(contents.set_labels.size());
  std::int64_t without = 0;
  for (std::size_t i = 0; i < contents.labels.size(); ++i) {
    const std::uint64_t first = contents.set_starts[i];
    const bool has_one = first < contents.set_starts[i + 1];
    contents.labels[i] = has_one ? contents.set_labels[first] : 0;
    without += has_one ? 0 : 1;
  }
  return without;
}

} // namespace vitrain::data

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text.h"
#include "data/sources/index.h"

// Access to the labels of a sample, whether it has one label or, in lists with
// multi_label, any number of further labels. Not for ReaL labels, which are
// further labels in addition to a sample's label.
namespace vitrain::data {

// Calls take(label) for every label of a sample.
template <typename Take>
void for_each_label(const Index& index, std::int64_t sample, Take take) {
  if (!index.has_label_sets()) {
    take(index.label(sample));
    return;
  }
  for (const std::int32_t label : index.label_set(sample)) {
    take(static_cast<std::int64_t>(label));
  }
}

inline bool
has_label(const Index& index, std::int64_t sample, std::int64_t label) {
  return index.has_label_sets()
      ? std::ranges::count(
            index.label_set(sample), static_cast<std::int32_t>(label)) > 0
      : index.label(sample) == label;
}

// Returns the distinct labels of a sample in rising order.
inline std::vector<std::int32_t> sorted_labels(
    const Index& index,
    std::int64_t sample) {
  std::vector<std::int32_t> labels;
  for_each_label(index, sample, [&](std::int64_t label) {
    labels.push_back(static_cast<std::int32_t>(label));
  });
  std::ranges::sort(labels);
  labels.erase(std::ranges::unique(labels).begin(), labels.end());
  return labels;
}

// Returns the names of a sample's classes, separated by commas; "-" for a
// sample without labels. The names may contain unprintable characters.
inline std::string label_names(const Index& index, std::int64_t sample) {
  std::vector<std::string> names;
  for_each_label(index, sample, [&](std::int64_t label) {
    names.push_back(index.classes()[static_cast<std::size_t>(label)]);
  });
  return names.empty() ? "-" : join(names, ",");
}

} // namespace vitrain::data

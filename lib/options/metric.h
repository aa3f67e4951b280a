#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/enum_names.h"

namespace vitrain {

// A metric of an evaluation: one number for the whole dataset.
enum class Metric { kLoss, kTop1, kTop5, kRealTop1, kMap };

struct MetricInfo {
  Metric value;
  std::string_view name; // in recipes, records, columns of summary.csv
  bool of_classes; // a percentage, of data with classes; false: a plain number
  bool larger_is_better;
  bool of_real_labels = false; // exists only with eval.real_labels
  bool of_label_lists = false; // exists only with data.eval.multi_label
};

// One row per metric. engine/step/metrics.cpp computes the metrics.
inline constexpr std::array<MetricInfo, 5> kMetrics{
    {{Metric::kLoss, "loss", false, false},
     {Metric::kTop1, "top1", true, true},
     {Metric::kTop5, "top5", true, true},
     {Metric::kRealTop1, "real_top1", true, true, true},
     {Metric::kMap, "map", true, true, false, true}}};

constexpr auto names_of(Metric) {
  std::array<EnumName<Metric>, kMetrics.size()> names{};
  std::ranges::transform(kMetrics, names.begin(), [](const MetricInfo& row) {
    return EnumName<Metric>{row.value, row.name};
  });
  return names;
}

constexpr const MetricInfo& info_of(Metric metric) {
  return *std::ranges::find(kMetrics, metric, &MetricInfo::value);
}

} // namespace vitrain

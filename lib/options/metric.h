#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/enum_names.h"

namespace vitrain {

// What an evaluation finds, one number for the whole set.
enum class Metric { kLoss, kTop1, kTop5 };

struct MetricInfo {
  Metric value;
  std::string_view name; // in recipes, records, columns of summary.csv
  bool of_classes; // in percent; else as it is, and known without classes too
  bool larger_is_better;
};

// A row per metric. How it is counted stands in engine/eval/metrics.cpp.
inline constexpr std::array<MetricInfo, 3> kMetrics{
    {{Metric::kLoss, "loss", false, false},
     {Metric::kTop1, "top1", true, true},
     {Metric::kTop5, "top5", true, true}}};

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

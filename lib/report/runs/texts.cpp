#include "report/runs/texts.h"

#include <cmath>

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/text.h"

namespace vitrain::report {

std::string metric_value(const MetricInfo& metric, double value) {
  return metric.of_classes ? fmt::format("{:.2f} %", value)
                           : fmt::format("{:.4f}", value);
}

std::string rate_text(double images_per_second) {
  constexpr double kMost = 1e15;
  if (!(images_per_second > 0.0 && images_per_second < kMost)) {
    return "";
  }
  return images_per_second < 10.0
      ? fmt::format("{:.1f}", images_per_second)
      : with_commas(std::llround(images_per_second));
}

std::string evaluation_text(const Run& run, const Json* evaluation) {
  if (evaluation == nullptr) {
    return "";
  }
  const MetricInfo& metric = run.metric();
  std::string text = fmt::format(
      "{} {}",
      metric.name,
      metric_value(
          metric, json_number(*evaluation, metric.name).value_or(NAN)));
  const auto step =
      static_cast<std::int64_t>(json_number(*evaluation, "step").value_or(0.0));
  if (!run.timeline().empty()) {
    text += fmt::format(
        " at epoch {} (step {})", run.epoch_of(step), with_commas(step));
  }
  return text;
}

std::string epochs_text(const Run& run, std::string_view between) {
  if (run.timeline().empty()) {
    return "";
  }
  return fmt::format(
      "{}{}{}",
      run.records.step == 0 ? 0 : run.epoch_of(run.records.step),
      between,
      run.total_steps() == 0 ? 0 : run.epoch_of(run.total_steps()));
}

} // namespace vitrain::report

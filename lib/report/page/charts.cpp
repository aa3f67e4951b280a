#include "report/page/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "report/runs/curve.h"

namespace vitrain::report {
namespace {

struct ChartCurve {
  std::string_view key; // key in Records::curves; "": no curve
  std::string_view label; // "" for the only curve of a chart
};

struct Chart {
  std::string_view title;
  std::string_view unit; // "%": values are percent; "x%": values are fractions
  bool can_be_log = false;
  bool exact = false; // values are not noisy: no smoothing
  std::array<ChartCurve, 4> curves{};
};

constexpr std::array kCharts{
    Chart{
        .title = "Loss",
        .can_be_log = true,
        .curves =
            {{{"train.loss", "training"},
              {"eval.loss", "evaluation"},
              {"ema.loss", "evaluation of EMA"}}}},
    Chart{
        .title = "Accuracy",
        .unit = "%",
        .curves =
            {{{"train.top1", "training top-1"},
              {"eval.top1", "evaluation top-1"},
              {"eval.top5", "evaluation top-5"},
              {"ema.top1", "EMA top-1"}}}},
    Chart{
        .title = "Learning rate",
        .can_be_log = true,
        .exact = true,
        .curves = {{{"train.lr", ""}}}},
    Chart{
        .title = "Gradient norm",
        .can_be_log = true,
        .curves = {{{"train.grad_norm", ""}}}},
    Chart{
        .title = "Weights pruned",
        .unit = "x%",
        .exact = true,
        .curves = {{{"train.sparsity", ""}}}},
    Chart{
        .title = "Loss scale",
        .can_be_log = true,
        .exact = true,
        .curves = {{{"train.loss_scale", ""}}}},
    Chart{
        .title = "Images per second",
        .curves = {{{"train.images_per_second", ""}}}},
    Chart{
        .title = "Waiting for data",
        .unit = "x%",
        .curves = {{{"train.data_wait", ""}}}},
    Chart{
        .title = "Waiting for the exchange",
        .unit = "x%",
        .curves = {{{"train.comm_wait", ""}}}},
    Chart{
        .title = "Bad samples",
        .exact = true,
        .curves = {{{"train.bad_samples", ""}}}}};

constexpr std::size_t kMostPoints = 1000; // points per curve
// Most points of a curve in all runs together, and fewest per run even so.
constexpr std::size_t kMostPointsOfAll = 20000;
constexpr std::size_t kFewestPoints = 100;

// True if the curve has something to show. (With one worker, the waiting time
// for communication is always 0.)
bool is_drawn(std::string_view key, const Run& run) {
  const Curve* curve = run.records.curve(key);
  return curve != nullptr &&
      (!key.ends_with(".top5") || run.shows(info_of(Metric::kTop5))) &&
      (key != "train.comm_wait" ||
       std::ranges::any_of(
           curve->values, [](double value) { return value != 0.0; }));
}

// Rounds to as many digits as a chart can show.
double rounded(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json points_of(const Curve& curve, std::size_t most) {
  const Curve shown = thinned(curve, most);
  Json values = Json::array();
  for (const double value : shown.values) {
    values.push_back(
        std::isfinite(value) ? Json(rounded(value)) : Json(nullptr));
  }
  return Json::array({shown.steps, values});
}

Json describe(const Chart& chart, std::span<const Run> runs) {
  Json curves = Json::array();
  for (const ChartCurve& curve : chart.curves) {
    if (std::ranges::any_of(runs, [&](const Run& run) {
          return !curve.key.empty() && is_drawn(curve.key, run);
        })) {
      curves.push_back({{"key", curve.key}, {"label", curve.label}});
    }
  }
  return {
      {"title", chart.title},
      {"unit", chart.unit},
      {"log", chart.can_be_log},
      {"exact", chart.exact},
      {"curves", curves}};
}

} // namespace

Json chart_data(std::span<const Run> runs) {
  const std::size_t most = std::clamp(
      kMostPointsOfAll / std::max<std::size_t>(1, runs.size()),
      kFewestPoints,
      kMostPoints);
  Json charts = Json::array();
  for (const Chart& chart : kCharts) {
    Json described = describe(chart, runs);
    if (!described["curves"].empty()) {
      charts.push_back(std::move(described));
    }
  }
  Json drawn = Json::array();
  for (const Run& run : runs) {
    Json curves = Json::object();
    for (const Json& chart : charts) {
      for (const Json& curve : chart["curves"]) {
        const std::string key = curve["key"];
        if (const Curve* found = run.records.curve(key)) {
          curves[key] = points_of(*found, most);
        }
      }
    }
    drawn.push_back(
        {{"name", printable(run.name)},
         {"steps_per_epoch", run.steps_per_epoch()},
         {"curves", curves}});
  }
  return {
      {"charts", charts},
      {"runs", drawn},
      {"running", std::ranges::any_of(runs, [](const Run& run) {
         return run.state == RunStatus::kRunning;
       })}};
}

} // namespace vitrain::report

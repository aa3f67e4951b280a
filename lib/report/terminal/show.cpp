#include "report/terminal/show.h"

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/text.h"
#include "logging/banner.h"
#include "report/runs/texts.h"
#include "report/terminal/plot.h"

namespace vitrain::report {
namespace {

using logging::Tint;

std::string state_text(const Run& run) {
  return run.reason.empty()
      ? name_of(run.state)
      : fmt::format("{}: {}", name_of(run.state), run.reason);
}

std::string loss_text(const Run& run) {
  const Json* last = run.last();
  const auto loss = last == nullptr ? std::nullopt : json_number(*last, "loss");
  return loss && run.metric().value != Metric::kLoss
      ? ", loss " + metric_value(info_of(Metric::kLoss), *loss)
      : "";
}

std::string trained_text(const Run& run) {
  std::string text = epochs_text(run, " of ");
  text = text.empty() ? "" : "epoch " + text;
  const std::string speed = rate_text(run.images_per_second());
  if (!speed.empty()) {
    text += fmt::format(", {} images/s", speed);
  }
  if (run.records.seconds > 0.0) {
    text += fmt::format(
        "{}{}", text.empty() ? "" : ", ", human_seconds(run.records.seconds));
  }
  return text;
}

std::string summary(const Run& run, const logging::TerminalStyle& style) {
  return logging::banner(
      run.name,
      {{{"state", state_text(run)},
        {"model", json_text(run.records.start, "model")},
        {"devices", json_text(run.records.start, "devices")},
        {"best", run.trains() ? evaluation_text(run, run.best()) : ""},
        {"last", evaluation_text(run, run.last()) + loss_text(run)},
        {"trained", trained_text(run)},
        {"problems", join(run.problems, "\n")},
        {"folder", run.folder.path.native()}}},
      style);
}

struct ShownCurve {
  const char* key;
  const char* label;
  Tint tint;
  bool marks = false;
};

struct ShownPlot {
  const char* title;
  std::vector<ShownCurve> curves;
  double scale = 1.0;
};

// The most important plots; report.html has all curves.
const std::vector<ShownPlot>& shown_plots() {
  static const std::vector<ShownPlot> plots{
      {"loss",
       {{"train.loss", "training", Tint::kLabel},
        {"eval.loss", "evaluation", Tint::kWarning, true},
        {"ema.loss", "EMA", Tint::kGood, true}}},
      {"top1, %",
       {{"train.top1", "training", Tint::kLabel},
        {"eval.top1", "evaluation", Tint::kWarning, true},
        {"ema.top1", "EMA", Tint::kGood, true}}},
      {"learning rate", {{"train.lr", "", Tint::kLabel}}},
      {"images/s", {{"train.images_per_second", "", Tint::kLabel}}}};
  return plots;
}

} // namespace

std::string show(const Run& run, const logging::TerminalStyle& style) {
  std::string out = summary(run, style);
  PlotOptions options{.style = style};
  if (run.steps_per_epoch() > 0) {
    options.steps_per_unit = static_cast<double>(run.steps_per_epoch());
    options.unit = "epoch";
  }
  for (const ShownPlot& shown : shown_plots()) {
    std::vector<PlotLine> lines;
    for (const ShownCurve& curve : shown.curves) {
      const Curve* found = run.records.curve(curve.key);
      // A single point is not a curve, and the summary contains it.
      if (found != nullptr && found->size() > (curve.marks ? 0U : 1U) &&
          run.trains()) {
        lines.push_back({found, curve.label, curve.tint, curve.marks});
      }
    }
    options.scale = shown.scale;
    const std::string text = plot(shown.title, lines, options);
    out += text.empty() ? "" : "\n" + text;
  }
  return out;
}

} // namespace vitrain::report

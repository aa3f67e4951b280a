#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "pictures/drawing.h"
#include "results/evaluation_pictures.h"

namespace vitrain::results {
namespace {

using pictures::Align;
using pictures::Area;
using pictures::Drawing;

constexpr int kWidth = 560;
constexpr int kHeight = 620;
constexpr Area kPlot{64, 84, 468, 380}; // accuracy over confidence
constexpr Area kCounts{64, 488, 468, 76}; // histogram of confidence
constexpr double kSmall = 11;
constexpr pictures::Colour kGapColour{232, 132, 110};

double up(double share) {
  return kPlot.bottom() - share * kPlot.height;
}

double across(double share) {
  return kPlot.left + share * kPlot.width;
}

void draw_axes(Drawing& drawing) {
  for (int i = 0; i <= 5; ++i) {
    const double share = i / 5.0;
    const std::string text = fmt::format("{} %", 20 * i);
    drawing.fill({kPlot.left, up(share), kPlot.width, 1}, pictures::kEdge);
    drawing.text(
        {kPlot.left - 8, up(share) + 4},
        text,
        {.size = kSmall,
         .colour = pictures::kFaintInk,
         .align = Align::kRight});
    drawing.text(
        {across(share), kCounts.bottom() + 18},
        text,
        {.size = kSmall,
         .colour = pictures::kFaintInk,
         .align = Align::kCentre});
  }
  drawing.text(
      {18, kPlot.top + kPlot.height / 2},
      "accuracy",
      {.align = Align::kCentre, .turned = true});
  drawing.text(
      {18, kCounts.top + kCounts.height / 2},
      "images",
      {.align = Align::kCentre, .turned = true});
  drawing.text(
      {kPlot.left + kPlot.width / 2, kHeight - 14.0},
      "confidence: the probability of the prediction",
      {.align = Align::kCentre});
}

void draw_bins(Drawing& drawing, const Calibration& calibration) {
  std::int64_t largest = 1;
  for (const Calibration::Bin& bin : calibration.bins()) {
    largest = std::max(largest, bin.count);
  }
  const double width = kPlot.width / Calibration::kBins;
  for (std::size_t i = 0; i < Calibration::kBins; ++i) {
    const Calibration::Bin& bin = calibration.bins()[i];
    if (bin.count == 0) {
      continue;
    }
    const double left = kPlot.left + static_cast<double>(i) * width + 2;
    const double accuracy = up(bin.accuracy());
    const double confidence = up(bin.confidence());
    drawing.fill(
        {left, accuracy, width - 4, kPlot.bottom() - accuracy},
        pictures::kBlue,
        0.75);
    drawing.fill(
        {left,
         std::min(accuracy, confidence),
         width - 4,
         std::abs(accuracy - confidence)},
        kGapColour,
        0.55);
    // Small counts stay visible.
    const double height = std::max(
        1.0,
        kCounts.height * static_cast<double>(bin.count) /
            static_cast<double>(largest));
    drawing.fill(
        {left, kCounts.bottom() - height, width - 4, height},
        pictures::kBlue,
        0.75);
  }
  drawing.fill(
      {kCounts.left, kCounts.bottom(), kCounts.width, 1}, pictures::kFaintInk);
  drawing.text(
      {kCounts.right(), kCounts.top - 4},
      fmt::format("up to {} in a bin", with_commas(largest)),
      {.size = kSmall, .colour = pictures::kFaintInk, .align = Align::kRight});
}

void draw_legend_of_bars(Drawing& drawing) {
  const auto entry = [&](double top,
                         const pictures::Colour& colour,
                         double opacity,
                         const char* text) {
    drawing.fill({kPlot.left + 12, top, 11, 11}, colour, opacity);
    drawing.text(
        {kPlot.left + 29, top + 9.5},
        text,
        {.size = kSmall, .colour = pictures::kFaintInk});
  };
  entry(kPlot.top + 12, pictures::kBlue, 0.75, "accuracy");
  entry(kPlot.top + 30, kGapColour, 0.55, "gap to the confidence");
}

void draw_diagonal(Drawing& drawing) {
  constexpr int kDashes = 40;
  for (int i = 0; i < kDashes; i += 2) {
    const double from = static_cast<double>(i) / kDashes;
    const double to = (i + 1.0) / kDashes;
    drawing.line(
        {across(from), up(from)}, {across(to), up(to)}, 1.5, pictures::kInk);
  }
}

} // namespace

image::Image draw_reliability(const Calibration& calibration) {
  Drawing drawing(kWidth, kHeight);
  drawing.text(
      {24, 34},
      fmt::format(
          "Reliability: calibration error {:.2f} %", 100 * calibration.error()),
      {.size = 18});
  drawing.text(
      {24, 56},
      fmt::format(
          "{}: confidence {:.2f} % on average, accuracy {:.2f} %",
          calibration.tendency(),
          100 * calibration.confidence(),
          100 * calibration.accuracy()),
      {.colour = pictures::kFaintInk});
  draw_axes(drawing);
  draw_bins(drawing, calibration);
  draw_diagonal(drawing);
  draw_legend_of_bars(drawing);
  return drawing.image();
}

} // namespace vitrain::results

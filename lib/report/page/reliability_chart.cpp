// Implements reliability() of pictures.h.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/page/pictures.h"

namespace vitrain::report {
namespace {

using Bin = results::Calibration::Bin;

// Coordinates in the units of the drawing, which is as wide as a phone's
// screen.
constexpr double kWidth = 360;
constexpr double kHeight = 352;
constexpr double kLeft = 50;
constexpr double kRight = 352;
constexpr double kTop = 8; // plot of accuracy over confidence
constexpr double kBottom = 232;
constexpr double kCountsTop = 250; // histogram of confidence
constexpr double kCountsBottom = 310;

double across(double share) {
  return kLeft + share * (kRight - kLeft);
}

double up(double share) {
  return kBottom - share * (kBottom - kTop);
}

std::string
bar(const char* kind, double left, double width, double top, double bottom) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"/>",
      kind,
      left,
      top,
      width,
      std::max(0.0, bottom - top));
}

std::string
label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
      x,
      y,
      anchor,
      text);
}

std::string axes() {
  std::string out;
  for (int i = 0; i <= 5; ++i) {
    const double share = i / 5.0;
    const std::string text = fmt::format("{} %", 20 * i);
    out += fmt::format(
        "<line class=\"rule\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" "
        "y2=\"{2:.1f}\"/>",
        kLeft,
        kRight,
        up(share));
    out += label(kLeft - 6, up(share) + 4, "end", text);
    out += label(
        across(share), kCountsBottom + 16, i == 5 ? "end" : "middle", text);
  }
  return out +
      label((kLeft + kRight) / 2,
            kHeight - 8,
            "middle",
            "confidence: probability of the prediction") +
      label(kLeft - 6, kCountsTop + 24, "end", "images");
}

std::string bars(const std::vector<Bin>& bins) {
  std::int64_t largest = 1;
  for (const Bin& bin : bins) {
    largest = std::max(largest, bin.count);
  }
  const double width = (kRight - kLeft) / static_cast<double>(bins.size());
  std::string out;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    if (bin.count == 0) {
      continue;
    }
    const double left = kLeft + static_cast<double>(i) * width + 1;
    const double high = std::min(up(bin.accuracy()), up(bin.confidence()));
    const double low = std::max(up(bin.accuracy()), up(bin.confidence()));
    const double share =
        static_cast<double>(bin.count) / static_cast<double>(largest);
    const double height = // small counts stay visible
        std::max(1.0, share * (kCountsBottom - kCountsTop));
    out += fmt::format(
        "<g><title>{}: accuracy {:.2f} %, confidence {:.2f} %</title>{}{}{}"
        "</g>\n",
        counted(bin.count, "image"),
        100 * bin.accuracy(),
        100 * bin.confidence(),
        bar("accuracy", left, width - 2, up(bin.accuracy()), kBottom),
        bar("gap", left, width - 2, high, low),
        bar("accuracy",
            left,
            width - 2,
            kCountsBottom - height,
            kCountsBottom));
  }
  return out;
}

} // namespace

std::string reliability(const std::vector<Bin>& bins) {
  Bin all;
  double apart = 0.0;
  for (const Bin& bin : bins) {
    all.count += bin.count;
    all.correct += bin.correct;
    all.confidence_sum += bin.confidence_sum;
    apart += static_cast<double>(bin.count) *
        std::abs(bin.accuracy() - bin.confidence());
  }
  if (all.count == 0) {
    return "";
  }
  return fmt::format(
      "<h3>Reliability: how often it is right, by how sure it is</h3>\n"
      "<p class=\"hint\">calibration error {:.2f} %: {}, {:.2f} % sure on "
      "average, {:.2f} % right</p>\n"
      "<svg class=\"reliability\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"Reliability diagram\">\n{}{}"
      "<line class=\"diagonal\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" "
      "y2=\"{:.1f}\"/>\n</svg>\n"
      "<p class=\"keys\"><span class=\"key accuracy\"></span>accuracy "
      "<span class=\"key gap\"></span>gap to the confidence</p>\n",
      100 * apart / static_cast<double>(all.count),
      all.tendency(),
      100 * all.confidence(),
      100 * all.accuracy(),
      kWidth,
      kHeight,
      axes(),
      bars(bins),
      across(0),
      up(0),
      across(1),
      up(1));
}

} // namespace vitrain::report

#include "pictures/contact_sheet.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/text.h"
#include "image/operations/channels.h"
#include "image/operations/resample.h"
#include "pictures/font.h"

namespace vitrain::pictures {
namespace {

constexpr int kSquareGap = 2; // pixels
constexpr Colour kGapGrey{128, 128, 128};
constexpr Colour kBlack{0, 0, 0};
constexpr std::int64_t kMostPixels = std::int64_t{8} << 20;
constexpr double kCaptionText = 11; // text size in pixels per em
constexpr int kCaption = 14; // height of a caption line in pixels
constexpr int kBaseline = 11; // from the top of the line to the baseline
constexpr int kWidestCaption = 64; // maximum caption width for narrower images
constexpr int kSmallestWithCaption = 40;
constexpr int kSmallest = 16; // minimum longer side of a reduced image

int longer_side(const image::Size& size) {
  return std::max(size.width, size.height);
}

// Returns the maximum number of images on a sheet, at their smallest size.
std::int64_t most_images(const image::Size& size) {
  const double reduced =
      std::min(1.0, static_cast<double>(kSmallest) / longer_side(size));
  const auto side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(kMostPixels)));
  const auto along = [&](int length) {
    return (side - kSquareGap) /
        (std::max<std::int64_t>(1, std::llround(length * reduced)) +
         kSquareGap);
  };
  return along(size.width) * along(size.height);
}

} // namespace

int caption_width(std::span<const std::string> captions) {
  double widest = 0;
  for (const std::string& caption : captions) {
    widest = std::max(widest, text_width(caption, kCaptionText));
  }
  return static_cast<int>(std::ceil(widest));
}

ContactSheet::ContactSheet(
    std::int64_t count,
    const image::Size& size,
    int channels,
    int widest)
    : size_(size),
      channels_(channels),
      tile_(size),
      width_(std::max(
          size.width,
          std::min(widest, std::max(size.width, kWidestCaption)))),
      caption_(widest > 0 ? kCaption + kSquareGap : 0),
      drawing_(1, 1) {
  while (!fits(count)) {
    VITRAIN_CHECK(
        longer_side(tile_) > std::min(longer_side(size), kSmallest),
        ExitCode::kUsage,
        "-count {}: a sheet has room for at most {} images",
        with_commas(count),
        with_commas(most_images(size)));
    set_longer_side(longer_side(tile_) - 1);
    width_ = tile_.width;
    caption_ = widest > 0 && tile_.width >= kSmallestWithCaption ? caption_ : 0;
  }
  drawing_ = Drawing(sheet_.width, sheet_.height, kGapGrey);
}

void ContactSheet::set_longer_side(int longer) {
  const auto reduced = [&](int side) {
    return std::max(
        1,
        static_cast<int>(std::lround(
            static_cast<double>(side) * longer / longer_side(size_))));
  };
  tile_ = {reduced(size_.width), reduced(size_.height)};
}

// Computes an approximately square layout for `count` images of the current
// size. Returns true, and stores columns_ and sheet_, if the sheet has at most
// kMostPixels pixels.
bool ContactSheet::fits(std::int64_t count) {
  const std::int64_t across = width_ + kSquareGap;
  const std::int64_t down = tile_.height + caption_ + kSquareGap;
  const auto columns = std::max<std::int64_t>(
      1,
      std::llround(std::ceil(std::sqrt(
          static_cast<double>(count) * static_cast<double>(down) /
          static_cast<double>(across)))));
  const std::int64_t width = columns * across + kSquareGap;
  const std::int64_t height =
      (count + columns - 1) / columns * down + kSquareGap;
  if (width > kMostPixels / height) {
    return false;
  }
  columns_ = static_cast<int>(columns);
  sheet_ = {static_cast<int>(width), static_cast<int>(height)};
  return true;
}

void ContactSheet::add(
    std::span<const std::uint8_t> pixels,
    std::string_view caption) {
  image::Image colours =
      image::in_colours(pixels, size_.width, size_.height, channels_);
  if (tile_ != size_) {
    colours = image::resize(colours, tile_.width, tile_.height, Filter::kBox);
  }
  const auto left =
      static_cast<int>(kSquareGap + added_ % columns_ * (width_ + kSquareGap));
  const auto top = static_cast<int>(
      kSquareGap + added_ / columns_ * (tile_.height + caption_ + kSquareGap));
  ++added_;
  drawing_.picture(left, top, image::View(colours));
  if (caption_ > 0) {
    drawing_.text(
        {static_cast<double>(left),
         static_cast<double>(top + tile_.height + kSquareGap + kBaseline)},
        fit_text(caption, kCaptionText, width_),
        {.size = kCaptionText, .colour = kBlack});
  }
}

} // namespace vitrain::pictures

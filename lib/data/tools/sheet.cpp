#include "data/tools/sheet.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/letters.h"
#include "image/resample/resample.h"

namespace vitrain::data {
namespace {

constexpr int kGap = 2; // pixels
constexpr std::uint8_t kGapGrey = 128;
constexpr std::int64_t kMostPixels = std::int64_t{8} << 20;
constexpr int kWidestCaption = 64; // where squares are smaller
constexpr int kSmallestWithCaption = 40;
constexpr int kSmallest = 16; // of a reduced square

int longer_side(const image::Size& size) {
  return std::max(size.width, size.height);
}

// Images of the smallest size that have room.
std::int64_t most_images(const image::Size& size) {
  const double reduced =
      std::min(1.0, static_cast<double>(kSmallest) / longer_side(size));
  const auto side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(kMostPixels)));
  const auto along = [&](int length) {
    return (side - kGap) /
        (std::max<std::int64_t>(1, std::llround(length * reduced)) + kGap);
  };
  return along(size.width) * along(size.height);
}

} // namespace

int longest_caption(std::span<const std::string> captions) {
  std::size_t longest = 0;
  for (const std::string& caption : captions) {
    longest = std::max(longest, letters_of(caption).size());
  }
  return static_cast<int>(longest);
}

ContactSheet::ContactSheet(
    std::int64_t count,
    const image::Size& size,
    int channels,
    int letters)
    : size_(size),
      channels_(channels),
      tile_(size),
      width_(std::max(
          size.width,
          std::min(letters * kLetter, std::max(size.width, kWidestCaption)))),
      caption_(letters > 0 ? kLetter + kGap : 0) {
  while (!fits(count)) {
    VITRAIN_CHECK(
        longer_side(tile_) > std::min(longer_side(size), kSmallest),
        ExitCode::kUsage,
        "-count {}: a sheet has room for at most {} images",
        with_commas(count),
        with_commas(most_images(size)));
    set_longer_side(longer_side(tile_) - 1);
    width_ = tile_.width;
    caption_ =
        letters > 0 && tile_.width >= kSmallestWithCaption ? caption_ : 0;
  }
  sheet_.pixels.assign(
      static_cast<std::size_t>(sheet_.width) *
          static_cast<std::size_t>(sheet_.height) * 3,
      kGapGrey);
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

// Lays out a sheet that is about square.
bool ContactSheet::fits(std::int64_t count) {
  const std::int64_t across = width_ + kGap;
  const std::int64_t down = tile_.height + caption_ + kGap;
  const auto columns = std::max<std::int64_t>(
      1,
      std::llround(std::ceil(std::sqrt(
          static_cast<double>(count) * static_cast<double>(down) /
          static_cast<double>(across)))));
  const std::int64_t width = columns * across + kGap;
  const std::int64_t height = (count + columns - 1) / columns * down + kGap;
  if (width > kMostPixels / height) {
    return false;
  }
  columns_ = static_cast<int>(columns);
  sheet_.width = static_cast<int>(width);
  sheet_.height = static_cast<int>(height);
  return true;
}

void ContactSheet::add(
    std::span<const std::uint8_t> pixels,
    std::string_view caption) {
  image::Image colours(size_.width, size_.height);
  for (std::size_t i = 0; i < colours.pixels.size(); ++i) {
    colours.pixels[i] = pixels[channels_ == 1 ? i / 3 : i];
  }
  if (tile_ != size_) {
    colours = image::resize(colours, tile_.width, tile_.height, Filter::kBox);
  }
  const auto left =
      static_cast<int>(kGap + added_ % columns_ * (width_ + kGap));
  const auto top = static_cast<int>(
      kGap + added_ / columns_ * (tile_.height + caption_ + kGap));
  ++added_;
  const std::size_t row = static_cast<std::size_t>(tile_.width) * 3;
  for (int y = 0; y < tile_.height; ++y) {
    std::copy_n(
        colours.pixels.data() + static_cast<std::size_t>(y) * row,
        row,
        sheet_.pixels.data() +
            (static_cast<std::ptrdiff_t>(top + y) * sheet_.width + left) * 3);
  }
  if (caption_ > 0) {
    write(caption, left, top + tile_.height + kGap);
  }
}

// Black letters; where the text is too long its end is cut off, with two dots.
void ContactSheet::write(std::string_view caption, int left, int top) {
  std::vector<const Letter*> letters = letters_of(caption);
  const auto room = static_cast<std::size_t>(width_ / kLetter);
  if (letters.size() > room) {
    letters.resize(room);
    std::ranges::fill_n(letters.end() - 2, 2, letters_of(".").front());
  }
  for (const Letter* letter : letters) {
    for (int y = 0; y < kLetter; ++y) {
      for (int x = 0; x < kLetter; ++x) {
        if (((*letter)[static_cast<std::size_t>(y)] >> x & 1) != 0) {
          std::fill_n(
              sheet_.pixels.data() +
                  (static_cast<std::ptrdiff_t>(top + y) * sheet_.width + left +
                   x) *
                      3,
              3,
              std::uint8_t{0});
        }
      }
    }
    left += kLetter;
  }
}

} // namespace vitrain::data

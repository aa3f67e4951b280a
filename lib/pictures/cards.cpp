#include "pictures/cards.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "image/resample/resample.h"
#include "pictures/font.h"

namespace vitrain::pictures {
namespace {

constexpr int kSide = 176; // of a picture's longer side, at most
constexpr int kPadding = 8; // within a card
constexpr int kGap = 12; // between cards
constexpr int kMargin = 20; // of the sheet
constexpr int kLine = 21; // height
constexpr int kTitle = 20;
constexpr double kText = 12; // sizes
constexpr double kSmallText = 11;
constexpr double kHeading = 18;
constexpr double kWidestSheet = 1.45; // width over height

int longer(const image::Size& size) {
  return std::max(size.width, size.height);
}

// Small pictures have whole pixels larger, so that these can be seen.
image::Size tile_of(const image::Size& size) {
  const int side = longer(size);
  if (2 * side <= kSide) {
    return {size.width * (kSide / side), size.height * (kSide / side)};
  }
  const auto scaled = [&](int length) {
    return std::max(
        1, static_cast<int>(std::lround(1.0 * length * kSide / side)));
  };
  return side <= kSide ? size
                       : image::Size(scaled(size.width), scaled(size.height));
}

image::Image scaled_to(const image::Image& picture, const image::Size& tile) {
  if (tile == image::Size(picture.width, picture.height)) {
    return picture;
  }
  const bool larger = tile.width > picture.width;
  return image::resize(
      picture,
      tile.width,
      tile.height,
      larger ? Filter::kNearest : Filter::kLanczos);
}

int card_width_for(const image::Size& tile) {
  return std::max(tile.width, kSide) + 2 * kPadding;
}

int card_height_for(const image::Size& tile, int lines) {
  return kPadding + tile.height + kTitle + lines * kLine + kPadding;
}

// So many that the sheet is somewhat wider than high.
int columns_for(std::int64_t count, int width, int height) {
  const double square = static_cast<double>(count) * (height + kGap) /
      (width + kGap) * kWidestSheet;
  return static_cast<int>(std::clamp<std::int64_t>(
      std::llround(std::sqrt(square)), 1, std::max<std::int64_t>(count, 1)));
}

int top_of(const CardSheet::Layout& layout) {
  return kMargin + (layout.heading.empty() ? 0 : 32) +
      (layout.note.empty() ? 0 : 20);
}

} // namespace

CardSheet::CardSheet(const Layout& layout)
    : tile_(tile_of(layout.size)),
      columns_(columns_for(
          layout.count,
          card_width_for(tile_),
          card_height_for(tile_, layout.lines))),
      card_width_(card_width_for(tile_)),
      card_height_(card_height_for(tile_, layout.lines)),
      top_(top_of(layout)),
      drawing_(
          // A heading has room also above a single card.
          std::max(
              2 * kMargin + columns_ * (card_width_ + kGap) - kGap,
              2 * kMargin +
                  static_cast<int>(std::ceil(std::max(
                      text_width(layout.heading, kHeading),
                      text_width(layout.note, kText))))),
          top_ +
              static_cast<int>((layout.count + columns_ - 1) / columns_) *
                  (card_height_ + kGap) -
              kGap + kMargin,
          kPage) {
  drawing_.text(
      {kMargin, kMargin + kHeading}, layout.heading, {.size = kHeading});
  drawing_.text(
      {kMargin, top_ - 14.0},
      layout.note,
      {.size = kText, .colour = kFaintInk});
}

void CardSheet::add(const Card& card) {
  const auto column = static_cast<int>(added_ % columns_);
  const auto row = static_cast<int>(added_ / columns_);
  ++added_;
  const double left = kMargin + column * (card_width_ + kGap);
  const double top = top_ + row * (card_height_ + kGap);
  const Box box{
      left,
      top,
      static_cast<double>(card_width_),
      static_cast<double>(card_height_)};
  drawing_.fill(box, kPaper);
  drawing_.frame(box, kEdge);
  const double room = card_width_ - 2.0 * kPadding;
  const image::Image picture = scaled_to(card.picture, tile_);
  drawing_.picture(
      static_cast<int>(left) + (card_width_ - tile_.width) / 2,
      static_cast<int>(top) + kPadding,
      image::View(picture));
  double y = top + kPadding + tile_.height;
  drawing_.text(
      {left + kPadding, y + 15},
      fit_path(card.title, kSmallText, room),
      {.size = kSmallText, .colour = kFaintInk});
  y += kTitle;
  for (const CardLine& line : card.lines) {
    const Box bar{left + kPadding, y + 1, room, kLine - 3.0};
    double text_room = room - 8;
    if (line.share >= 0) {
      drawing_.fill(bar, kPage);
      drawing_.fill(
          {bar.left, bar.top, room * std::min(line.share, 1.0), bar.height},
          between(kPaper, line.colour, 0.28));
      const std::string number = fmt::format("{:.1f} %", 100 * line.share);
      drawing_.text(
          {bar.right() - 5, y + 14},
          number,
          {.size = kSmallText, .colour = kInk, .align = Align::kRight});
      text_room -= text_width(number, kSmallText) + 6;
    } else {
      drawing_.fill(bar, between(kPaper, line.colour, 0.28));
    }
    drawing_.text(
        {bar.left + 5, y + 14.5},
        fit_text(line.text, kText, text_room),
        {.size = kText});
    y += kLine;
  }
}

} // namespace vitrain::pictures

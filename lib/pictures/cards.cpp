#include "pictures/cards.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/check.h"
#include "image/formats/decode.h"
#include "image/formats/png_write.h"
#include "image/operations/resample.h"
#include "pictures/font.h"

namespace vitrain::pictures {
namespace {

// Lengths are in pixels.
constexpr int kSide = 176; // maximum length of a picture's longer side
constexpr int kPadding = 8; // margin inside a card
constexpr int kGap = 12; // distance between cards
constexpr int kMargin = 20; // margin of the sheet
constexpr int kLine = 21; // height of a line
constexpr int kTitle = 20;
constexpr int kUntitled = 4; // height without a title
constexpr double kText = 12; // text sizes in pixels per em
constexpr double kSmallText = 11;
constexpr double kHeading = 18;
constexpr double kWidestSheet = 1.45; // target: width over height of the sheet

int longer(const image::Size& size) {
  return std::max(size.width, size.height);
}

// Returns the size of a picture on the sheet: pictures of at most kSide / 2 are
// enlarged by an integer factor, so that single pixels are visible; pictures
// larger than kSide are reduced to it.
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

// Returns the height of the title, or of the gap in its place.
int title_height_for(const CardSheet::Layout& layout) {
  return layout.titles ? kTitle : kUntitled;
}

int card_height_for(const image::Size& tile, const CardSheet::Layout& layout) {
  return kPadding + tile.height + title_height_for(layout) +
      layout.lines * kLine + kPadding;
}

// Returns the number of columns with which the sheet is about kWidestSheet
// times as wide as high.
int columns_for(std::int64_t count, int width, int height) {
  const double square = static_cast<double>(count) * (height + kGap) /
      (width + kGap) * kWidestSheet;
  return static_cast<int>(std::clamp<std::int64_t>(
      std::llround(std::sqrt(square)), 1, std::max<std::int64_t>(count, 1)));
}

std::string hex_of(const Colour& colour) {
  return fmt::format(
      "{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

Colour colour_from(const std::string& hex) {
  const unsigned long value = std::stoul(hex, nullptr, 16);
  return {
      static_cast<std::uint8_t>(value >> 16),
      static_cast<std::uint8_t>(value >> 8),
      static_cast<std::uint8_t>(value)};
}

// Describes a card: its content, the position of its picture on the sheet, and
// the integer factor by which the picture is enlarged there.
Json describe_card(const Card& card, const image::Rect& place, int scale) {
  Json lines = Json::array();
  for (const CardLine& line : card.lines) {
    lines.push_back(
        {{"text", line.text},
         {"share", line.share},
         {"colour", hex_of(line.colour)}});
  }
  return {
      {"left", place.left},
      {"top", place.top},
      {"width", place.width},
      {"height", place.height},
      {"scale", scale},
      {"title", card.title},
      {"lines", lines}};
}

// Returns a part of a sheet, reduced to every `scale`-th pixel. Throws
// Error(kData) if it is not within the sheet or smaller than one such pixel.
image::Image
cut_out(const image::Image& sheet, const image::Rect& place, int scale) {
  VITRAIN_CHECK_DATA(
      scale > 0 && place.left >= 0 && place.top >= 0 && place.width >= scale &&
          place.height >= scale && place.width <= sheet.width - place.left &&
          place.height <= sheet.height - place.top,
      "its description names a picture outside of it");
  image::Image picture(place.width / scale, place.height / scale);
  const image::View view = image::View(sheet).crop(place);
  auto out = picture.pixels.begin();
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const std::uint8_t* pixel =
          view.row(y * scale) + static_cast<std::size_t>(x * scale) * 3;
      out = std::copy_n(pixel, 3, out);
    }
  }
  return picture;
}

Card card_from(const Json& described, const image::Image& sheet) {
  Card card{.title = described.at("title")};
  card.picture = cut_out(
      sheet,
      {described.at("left"),
       described.at("top"),
       described.at("width"),
       described.at("height")},
      described.at("scale"));
  for (const Json& line : described.at("lines")) {
    card.lines.push_back(
        {.text = line.at("text"),
         .share = line.at("share"),
         .colour = colour_from(line.at("colour"))});
  }
  return card;
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
          card_height_for(tile_, layout))),
      card_width_(card_width_for(tile_)),
      card_height_(card_height_for(tile_, layout)),
      top_(top_of(layout)),
      title_height_(title_height_for(layout)),
      drawing_(
          // A single card must not limit the width of the heading.
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
  const Area box{
      left,
      top,
      static_cast<double>(card_width_),
      static_cast<double>(card_height_)};
  drawing_.fill(box, kPaper);
  drawing_.frame(box, kEdge);
  const double room = card_width_ - 2.0 * kPadding;
  const image::Image picture = scaled_to(card.picture, tile_);
  const image::Rect place{
      static_cast<int>(left) + (card_width_ - tile_.width) / 2,
      static_cast<int>(top) + kPadding,
      tile_.width,
      tile_.height};
  drawing_.picture(place.left, place.top, image::View(picture));
  described_.push_back(describe_card(
      card, place, std::max(1, tile_.width / card.picture.width)));
  double y = top + kPadding + tile_.height;
  if (!card.title.empty()) {
    drawing_.text(
        {left + kPadding, y + 15},
        fit_path(card.title, kSmallText, room),
        {.size = kSmallText, .colour = kFaintInk});
  }
  y += title_height_;
  for (const CardLine& line : card.lines) {
    const Area bar{left + kPadding, y + 1, room, kLine - 3.0};
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

std::string CardSheet::png() const {
  return image::encode_png(image(), to_line(described_));
}

std::vector<Card> read_cards(std::string_view png) {
  const std::string description = image::png_description(png);
  std::vector<Card> cards;
  if (description.empty()) {
    return cards;
  }
  const image::Image sheet = image::decode(
      {reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
  try {
    for (const Json& one : Json::parse(description)) {
      cards.push_back(card_from(one, sheet));
    }
  } catch (const Json::exception& error) {
    fail_data("its description cannot be read: {}", error.what());
  } catch (const std::logic_error&) { // from a malformed colour
    fail_data("its description has a colour that is none");
  }
  return cards;
}

} // namespace vitrain::pictures

#pragma once

#include <cstdint>

namespace vitrain::pictures {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

// Interpolates linearly: `share` 0 gives `from`, 1 gives `to`; it is clamped.
Colour between(const Colour& from, const Colour& to, double share);

// Colours used in pictures.
inline constexpr Colour kPaper{255, 255, 255};
inline constexpr Colour kPage{245, 247, 249}; // background of cards
inline constexpr Colour kEdge{222, 226, 231};
inline constexpr Colour kInk{33, 37, 41};
inline constexpr Colour kFaintInk{118, 126, 135};
inline constexpr Colour kBlue{37, 99, 180};
inline constexpr Colour kRed{200, 62, 48};
inline constexpr Colour kGreen{40, 140, 74};

// Colours of a drawing by purpose; `right` and `wrong` are for predictions.
// Files use the light palette, web pages both.
struct Palette {
  Colour paper = kPaper;
  Colour page = kPage;
  Colour edge = kEdge;
  Colour ink = kInk;
  Colour faint_ink = kFaintInk;
  Colour right = kBlue;
  Colour wrong = kRed;
};
inline constexpr Palette kLightPalette{};
// Must match report/page/report.css.
inline constexpr Palette kDarkPalette{
    .paper = {26, 32, 39},
    .page = {37, 45, 54},
    .edge = {50, 60, 71},
    .ink = {219, 226, 234},
    .faint_ink = {147, 160, 174},
    .right = {111, 168, 255},
    .wrong = {255, 128, 119}};

} // namespace vitrain::pictures

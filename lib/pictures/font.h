#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::pictures {

// A drawn character, as the covered fraction of each pixel. The upper left
// pixel is `left` pixels to the right of the pen and `top` pixels below the
// baseline; both may be negative.
struct Glyph {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage; // [height, width], 0 to 255
};

// A character of a text, with the position of the pen relative to the start of
// the text.
struct PlacedGlyph {
  const Glyph* glyph = nullptr; // valid until the program ends
  int pen = 0; // whole pixels; the fraction is included in the glyph
};

// Lays out UTF-8 text with `size` pixels per em in DejaVu Sans; characters that
// it lacks come from fonts of this machine (system_fonts.h). Invalid UTF-8
// becomes U+FFFD; characters in no font become a box. Thread-safe.
std::vector<PlacedGlyph> place_glyphs(std::string_view text, double size);
// Returns the width of a text in pixels.
double text_width(std::string_view text, double size);

// Return a text that is at most `room` pixels wide unchanged. Otherwise
// fit_text() replaces as little as possible of its end by an ellipsis,
// fit_path() of its start; without room for any, an ellipsis alone remains.
std::string fit_text(std::string_view text, double size, double room);
std::string fit_path(std::string_view path, double size, double room);

} // namespace vitrain::pictures

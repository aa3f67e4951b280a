#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::pictures {

// A letter, as drawn: how much of each pixel it covers. The first pixel is
// `left` to the right of where the pen is, and `top` below the line that
// letters stand on.
struct Glyph {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage; // [height, width]
};

// A letter of a text, and how far right of the text's start the pen is for it.
struct PlacedGlyph {
  const Glyph* glyph = nullptr; // valid as long as the program runs
  int pen = 0; // whole pixels; the rest is in the glyph
};

// Places UTF-8 text of `size` pixels per em in DejaVu Sans; letters that it
// lacks come from fonts of this machine (system_fonts.h). Invalid UTF-8 becomes
// U+FFFD; letters in no font become a frame. Thread-safe.
std::vector<PlacedGlyph> place_glyphs(std::string_view text, double size);
double text_width(std::string_view text, double size);

// Shorten a text to a width of at most `room`, with dots in place of its end; a
// path is shortened at its start.
std::string fit_text(std::string_view text, double size, double room);
std::string fit_path(std::string_view path, double size, double room);

} // namespace vitrain::pictures

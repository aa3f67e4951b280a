#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pictures/font.h"

struct stbtt_fontinfo;

namespace vitrain::pictures {

// A font as stb_truetype reads it, which trusts its bytes: what lies in a file
// is looked at by whole_face() first. Glyphs are numbers of the font's own; 0
// is the one for letters that it does not have. Thread-safe.
class Face {
 public:
  // The font that begins at `offset` of bytes that stay; null where it is none
  // that can be read.
  static std::unique_ptr<Face> open(
      const std::uint8_t* bytes,
      std::size_t offset);
  ~Face();

  int glyph(int code_point) const;
  // Pixels, of letters of `size` pixels (of an em).
  double advance(int glyph, double size) const;
  double kerning(int before, int glyph, double size) const;
  // `shift`: how far right of a pixel's start the pen is, [0, 1).
  Glyph draw(int glyph, double size, double shift) const;

 private:
  explicit Face(std::unique_ptr<stbtt_fontinfo> info);
  float scale(double size) const;

  std::unique_ptr<stbtt_fontinfo> info_;
};

} // namespace vitrain::pictures

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pictures/font.h"

struct stbtt_fontinfo;

namespace vitrain::pictures {

// A font read by stb_truetype, which trusts its bytes: whole_face() checks
// files first. Glyphs are the font's own numbers; 0 is the glyph for missing
// letters. Thread-safe.
class Face {
 public:
  // Opens the font at `offset` of `bytes`, which must outlive it; null if it
  // cannot be read.
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

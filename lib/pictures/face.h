#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pictures/font.h"

struct stbtt_fontinfo;

namespace vitrain::pictures {

// A font, read by stb_truetype, which trusts its input: check files with
// whole_face() first. Glyph numbers are the font's own; 0 is the glyph for
// missing characters. Thread-safe.
class Face {
 public:
  // Opens the font at `offset` of `bytes`, which must outlive the face; null if
  // it cannot be read.
  static std::unique_ptr<Face> open(
      const std::uint8_t* bytes,
      std::size_t offset);
  ~Face();

  int glyph(int code_point) const;
  // Return the advance of a glyph, and the kerning between two glyphs, in
  // pixels; `size` is in pixels per em.
  double advance(int glyph, double size) const;
  double kerning(int before, int glyph, double size) const;
  // Draws a glyph. `shift`, in [0, 1): horizontal position of the pen within a
  // pixel.
  Glyph draw(int glyph, double size, double shift) const;

 private:
  explicit Face(std::unique_ptr<stbtt_fontinfo> info);
  float scale(double size) const;

  std::unique_ptr<stbtt_fontinfo> info_;
};

} // namespace vitrain::pictures

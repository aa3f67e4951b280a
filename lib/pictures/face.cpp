#include "pictures/face.h"

#include <utility>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb_truetype.h>

namespace vitrain::pictures {

std::unique_ptr<Face> Face::open(
    const std::uint8_t* bytes,
    std::size_t offset) {
  auto info = std::make_unique<stbtt_fontinfo>();
  if (stbtt_InitFont(info.get(), bytes, static_cast<int>(offset)) == 0) {
    return nullptr;
  }
  return std::unique_ptr<Face>(new Face(std::move(info)));
}

Face::Face(std::unique_ptr<stbtt_fontinfo> info) : info_(std::move(info)) {}

Face::~Face() = default;

float Face::scale(double size) const {
  return stbtt_ScaleForMappingEmToPixels(info_.get(), static_cast<float>(size));
}

int Face::glyph(int code_point) const {
  return stbtt_FindGlyphIndex(info_.get(), code_point);
}

double Face::advance(int glyph, double size) const {
  int advance = 0;
  int bearing = 0;
  stbtt_GetGlyphHMetrics(info_.get(), glyph, &advance, &bearing);
  return double{scale(size)} * advance;
}

double Face::kerning(int before, int glyph, double size) const {
  return double{scale(size)} *
      stbtt_GetGlyphKernAdvance(info_.get(), before, glyph);
}

Glyph Face::draw(int glyph, double size, double shift) const {
  const float scale = this->scale(size);
  int right = 0;
  int bottom = 0;
  Glyph result;
  stbtt_GetGlyphBitmapBoxSubpixel(
      info_.get(),
      glyph,
      scale,
      scale,
      static_cast<float>(shift),
      /*shift_y=*/0,
      &result.left,
      &result.top,
      &right,
      &bottom);
  result.width = right - result.left;
  result.height = bottom - result.top;
  result.coverage.resize(
      static_cast<std::size_t>(result.width) *
      static_cast<std::size_t>(result.height));
  if (!result.coverage.empty()) {
    stbtt_MakeGlyphBitmapSubpixel(
        info_.get(),
        result.coverage.data(),
        result.width,
        result.height,
        result.width,
        scale,
        scale,
        static_cast<float>(shift),
        /*shift_y=*/0,
        glyph);
  }
  return result;
}

} // namespace vitrain::pictures

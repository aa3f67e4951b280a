#include "pictures/font.h"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb_truetype.h>

#include "core/check.h"
#include "core/text.h"
#include "pictures/font_file.h"

namespace vitrain::pictures {
namespace {

constexpr int kSteps = 4; // places of the pen within a pixel
constexpr const char* kDots = "\u2026";

// The code points of valid UTF-8.
std::vector<int> code_points(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::vector<int> codes;
  for (std::size_t i = 0; i < valid.size();) {
    const auto lead = static_cast<unsigned char>(valid[i]);
    const std::size_t bytes = lead < 0x80 ? 1
        : lead < 0xE0                     ? 2
        : lead < 0xF0                     ? 3
                                          : 4;
    int code = bytes == 1 ? lead : lead & (0xFF >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) {
      code = code << 6 | (static_cast<unsigned char>(valid[i + k]) & 0x3F);
    }
    codes.push_back(code);
    i += bytes;
  }
  return codes;
}

// The start of a text without its last letters, or its end without the first
// ones, in whole code points.
std::string_view
without(std::string_view text, std::size_t letters, bool at_start) {
  const auto goes_on = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) >> 6) == 2;
  };
  for (; letters > 0 && !text.empty(); --letters) {
    std::size_t cut = 1;
    const auto place = [&] { return at_start ? cut : text.size() - cut; };
    while (cut < text.size() && goes_on(place())) {
      ++cut;
    }
    text = at_start ? text.substr(cut) : text.substr(0, place());
  }
  return text;
}

class Font {
 public:
  static Font& get() {
    static Font font;
    return font;
  }

  // Calls visit(glyph, pen) for each letter. Returns the width.
  template <typename Visit>
  double walk(std::string_view text, double size, Visit visit) {
    const double scale =
        stbtt_ScaleForMappingEmToPixels(&info_, static_cast<float>(size));
    double pen = 0;
    int before = 0;
    for (const int code : code_points(text)) {
      const int glyph = stbtt_FindGlyphIndex(&info_, code);
      if (before != 0) {
        pen += scale * stbtt_GetGlyphKernAdvance(&info_, before, glyph);
      }
      visit(glyph, pen);
      int advance = 0;
      int bearing = 0;
      stbtt_GetGlyphHMetrics(&info_, glyph, &advance, &bearing);
      pen += scale * advance;
      before = glyph;
    }
    return pen;
  }

  PlacedGlyph placed(int glyph, double pen, double size) {
    const auto steps = static_cast<int>(std::lround(pen * kSteps));
    const int whole =
        steps >= 0 ? steps / kSteps : (steps - kSteps + 1) / kSteps;
    return {&drawn(glyph, size, steps - whole * kSteps), whole};
  }

 private:
  Font() {
    VITRAIN_CHECK(
        stbtt_InitFont(&info_, font_file(), 0) != 0,
        ExitCode::kInternal,
        "the font in the program cannot be read");
  }

  const Glyph& drawn(int glyph, double size, int step) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = glyphs_.try_emplace({glyph, size, step});
    if (is_new) {
      found->second = draw(glyph, size, static_cast<float>(step) / kSteps);
    }
    return found->second;
  }

  Glyph draw(int glyph, double size, float shift) const {
    const float scale =
        stbtt_ScaleForMappingEmToPixels(&info_, static_cast<float>(size));
    int right = 0;
    int bottom = 0;
    Glyph result;
    stbtt_GetGlyphBitmapBoxSubpixel(
        &info_,
        glyph,
        scale,
        scale,
        shift,
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
          &info_,
          result.coverage.data(),
          result.width,
          result.height,
          result.width,
          scale,
          scale,
          shift,
          /*shift_y=*/0,
          glyph);
    }
    return result;
  }

  stbtt_fontinfo info_{};
  std::mutex mutex_;
  std::map<std::tuple<int, double, int>, Glyph> glyphs_; // under mutex_
};

std::string
fit(std::string_view text, double size, double room, bool at_start) {
  if (text_width(text, size) <= room) {
    return std::string(text);
  }
  std::string result = kDots;
  // Letters to take away: by halves, as text may be long.
  std::size_t few = 0;
  std::size_t many = text.size();
  while (many - few > 1) {
    const std::size_t middle = (few + many) / 2;
    const std::string_view rest = without(text, middle, at_start);
    const std::string tried =
        at_start ? kDots + std::string(rest) : std::string(rest) + kDots;
    if (text_width(tried, size) <= room) {
      result = tried;
      many = middle;
    } else {
      few = middle;
    }
  }
  return result;
}

} // namespace

std::vector<PlacedGlyph> place_glyphs(std::string_view text, double size) {
  std::vector<PlacedGlyph> glyphs;
  Font& font = Font::get();
  font.walk(text, size, [&](int glyph, double pen) {
    glyphs.push_back(font.placed(glyph, pen, size));
  });
  return glyphs;
}

double text_width(std::string_view text, double size) {
  return Font::get().walk(text, size, [](int, double) {});
}

std::string fit_text(std::string_view text, double size, double room) {
  return fit(text, size, room, /*at_start=*/false);
}

std::string fit_path(std::string_view path, double size, double room) {
  return fit(path, size, room, /*at_start=*/true);
}

} // namespace vitrain::pictures

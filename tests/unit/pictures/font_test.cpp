#include "pictures/font.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::pictures {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(Font, HasWiderTextsOfMoreLetters) {
  EXPECT_EQ(text_width("", 12), 0);
  EXPECT_GT(text_width("ii", 12), text_width("i", 12));
  EXPECT_GT(text_width("M", 12), text_width("i", 12));
  EXPECT_NEAR(text_width("word", 24), 2 * text_width("word", 12), 1e-3);
}

TEST(Font, PlacesGlyphsFromLeftToRight) {
  const auto glyphs = place_glyphs("Aß \u0394", 14);
  ASSERT_EQ(glyphs.size(), 4U);
  for (std::size_t i = 1; i < glyphs.size(); ++i) {
    EXPECT_GT(glyphs[i].pen, glyphs[i - 1].pen);
  }
  EXPECT_GT(glyphs[0].glyph->height, 8);
  EXPECT_LT(glyphs[0].glyph->top, -8); // above the line
  EXPECT_TRUE(glyphs[2].glyph->coverage.empty()); // a blank
  EXPECT_EQ(place_glyphs("\xFF\xFE", 14).size(), 2U); // no UTF-8
}

TEST(FitText, CutsWhatHasNoRoom) {
  EXPECT_EQ(fit_text("short", 12, 100), "short");
  const std::string text =
      "a long text with \u00E9\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9";
  for (double room = 20; room < 160; room += 7) {
    const std::string end = fit_text(text, 12, room);
    EXPECT_LE(text_width(end, 12), room);
    const std::string start = fit_path(text, 12, room);
    EXPECT_LE(text_width(start, 12), room);
  }
  EXPECT_THAT(fit_text(text, 12, 60), StartsWith("a lo"));
  EXPECT_THAT(fit_text(text, 12, 60), EndsWith("\u2026"));
  EXPECT_THAT(fit_path(text, 12, 60), StartsWith("\u2026"));
  EXPECT_THAT(fit_path(text, 12, 60), EndsWith("\u00E9\u00E9"));
}

} // namespace
} // namespace vitrain::pictures

#include "pictures/system_fonts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pictures/font.h"
#include "pictures/font_file.h"
#include "support/files.h"

namespace vitrain::pictures {
namespace {

std::vector<std::uint8_t> dejavu() {
  const auto bytes = font_file();
  return {bytes.begin(), bytes.end()};
}

TEST(WholeFace, TellsWholeFontsFromOthers) {
  const std::vector<std::uint8_t> font = dejavu();
  EXPECT_EQ(whole_face(font, 0), 0U);
  EXPECT_FALSE(whole_face(font, 1)); // has one font
  EXPECT_FALSE(whole_face({}, 0));
  const std::string text(1000, 'x');
  EXPECT_FALSE(whole_face(
      {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, 0));
}

// A table of a font: its offset and its bytes.
struct Table {
  std::size_t start = 0;
  std::size_t size = 0;
};
Table table_of(const std::vector<std::uint8_t>& font, const std::string& name) {
  const auto number = [&](std::size_t at) {
    return std::size_t{font[at]} << 24 | std::size_t{font[at + 1]} << 16 |
        std::size_t{font[at + 2]} << 8 | font[at + 3];
  };
  for (std::size_t row = 12;; row += 16) {
    if (std::string(
            font.begin() + static_cast<std::ptrdiff_t>(row),
            font.begin() + static_cast<std::ptrdiff_t>(row) + 4) == name) {
      return {number(row + 8), number(row + 12)};
    }
  }
}

constexpr std::array kRead{"cmap", "maxp", "hhea", "hmtx", "loca", "glyf"};

TEST(WholeFace, RefusesWhatIsCutOff) {
  const std::vector<std::uint8_t> font = dejavu();
  std::size_t end = 0;
  for (const char* name : kRead) {
    const Table table = table_of(font, name);
    end = std::max(end, table.start + table.size);
  }
  EXPECT_TRUE(whole_face(std::span(font).first(end), 0));
  for (std::size_t less = 1; less <= end; less += less < 2000 ? 1 : 997) {
    ASSERT_FALSE(whole_face(std::span(font).first(end - less), 0)) << less;
  }
  for (std::size_t size = 0; size < 2000; ++size) {
    ASSERT_FALSE(whole_face(std::span(font).first(size), 0)) << size;
  }
}

TEST(WholeFace, RefusesWhatIsDamaged) {
  std::vector<std::uint8_t> font = dejavu();
  for (const char* name : kRead) {
    const Table table = table_of(font, name);
    ASSERT_GT(table.size, 0U) << name;
    for (std::size_t i = 0; i < table.size; i += table.size / 5 + 1) {
      font[table.start + i] ^= 0x10;
      EXPECT_FALSE(whole_face(font, 0)) << name << " " << i;
      font[table.start + i] ^= 0x10;
    }
  }
  font[table_of(font, "head").start + 50] = 7; // the kind of loca
  EXPECT_FALSE(whole_face(font, 0));
}

TEST(SystemFonts, AreFoundByTheirNamesBestFirst) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  std::filesystem::create_directories(folder / "c");
  folder.write("a/b/NanumGothic.ttf", "");
  folder.write("a/DroidSansFallbackFull.ttf", "");
  folder.write("a/Other.ttf", "");
  folder.write("c/NotoSansCJK-Regular.ttc", "");
  const std::array folders{folder / "a", folder / "none", folder / "c"};
  std::vector<std::string> names;
  for (const FontFile& file : known_fonts(folders)) {
    names.push_back(file.path.filename());
  }
  EXPECT_THAT(
      names,
      testing::ElementsAre(
          "NotoSansCJK-Regular.ttc",
          "DroidSansFallbackFull.ttf",
          "NanumGothic.ttf"));
}

TEST(SystemFonts, ThoseThatCannotBeReadAreLeftOut) {
  const TempFolder folder;
  const std::vector<std::uint8_t> font = dejavu();
  const std::string bytes(font.begin(), font.end());
  EXPECT_NE(load_font({.path = folder.write("whole", bytes)}).face, nullptr);
  EXPECT_EQ(
      load_font({.path = folder.write("cut", bytes.substr(0, 300000))}).face,
      nullptr);
  EXPECT_EQ(load_font({.path = folder.write("text", "text")}).face, nullptr);
  EXPECT_EQ(load_font({.path = folder / "none"}).face, nullptr);
  EXPECT_EQ(load_font({.path = folder.path()}).face, nullptr);
}

// The letters of a text, each another glyph, none of them the frame.
void expect_letters(const std::string& text) {
  const Glyph* frame = place_glyphs("\U0010FFFD", 16).at(0).glyph;
  const auto glyphs = place_glyphs(text, 16);
  for (std::size_t i = 0; i < glyphs.size(); ++i) {
    const Glyph& glyph = *glyphs[i].glyph;
    EXPECT_NE(glyph.coverage, frame->coverage) << i;
    EXPECT_GT(glyph.width, 4) << i;
    EXPECT_GT(glyph.height, 4) << i;
    EXPECT_LE(glyph.width, 18) << i;
    EXPECT_LE(glyph.height, 18) << i;
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_NE(glyph.coverage, glyphs[k].glyph->coverage) << i << " " << k;
      EXPECT_GT(glyphs[i].pen, glyphs[k].pen) << i << " " << k;
    }
  }
}

TEST(SystemFonts, HaveTheLettersThatDejaVuLacks) {
  if (known_fonts(font_folders()).empty()) {
    GTEST_SKIP() << "no font with Chinese letters is installed (Debian: "
                    "fonts-wqy-microhei, fonts-noto-cjk and others)";
  }
  expect_letters("\u72AC\u9CE5\u99AC\u9B5A"); // dog, bird, horse, fish
  // A name keeps the characters that DejaVu has, and is cut at the available
  // width.
  const std::string name = "a horse \u99AC\u99AC\u99AC\u99AC\u99AC\u99AC\u99AC";
  EXPECT_EQ(place_glyphs(name, 12).size(), 15U);
  EXPECT_GT(text_width(name, 12), 60);
  EXPECT_LE(text_width(fit_text(name, 12, 60), 12), 60);
}

TEST(SystemFonts, ALetterThatNoneHasIsAFrame) {
  const Glyph* frame = place_glyphs("\U0010FFFD", 16).at(0).glyph;
  EXPECT_EQ(place_glyphs("\U000F0000", 16).at(0).glyph, frame);
  EXPECT_FALSE(frame->coverage.empty());
}

// Every installed font of the list is drawn: also fonts with cubic curves, and
// collections.
TEST(SystemFonts, AreAllDrawn) {
  const auto files = known_fonts(font_folders());
  if (files.empty()) {
    GTEST_SKIP() << "no font with Chinese letters is installed";
  }
  for (const FontFile& file : files) {
    const LoadedFont font = load_font(file);
    ASSERT_NE(font.face, nullptr) << file.path;
    int drawn = 0;
    for (const int code : {0x4E2D, 0x306E, 0xD55C}) {
      if (const int glyph = font.face->glyph(code); glyph != 0) {
        const Glyph picture = font.face->draw(glyph, 16, 0.25);
        const bool empty = std::ranges::all_of(
            picture.coverage, [](std::uint8_t share) { return share == 0; });
        drawn += empty ? 0 : 1;
      }
    }
    EXPECT_GT(drawn, 0) << file.path;
  }
}

} // namespace
} // namespace vitrain::pictures

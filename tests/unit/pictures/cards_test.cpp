#include "pictures/cards.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include "core/error.h"
#include "image/formats/png_write.h"

namespace vitrain::pictures {
namespace {

TEST(CardSheet, ItsFileHasItsCards) {
  for (const int side : {16, 100, 400}) { // enlarged, as it is, reduced
    CardSheet sheet({.count = 2, .lines = 1, .size = {side, side}});
    image::Image picture(side, side);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
      picture.pixels[i] = static_cast<std::uint8_t>(i * 7);
    }
    sheet.add(
        {.picture = picture,
         .title = "a/\u732b.png",
         .lines = {{.text = "cat", .share = 0.25, .colour = kRed}}});
    sheet.add({.picture = image::Image(side, side)});
    const std::vector<Card> cards = read_cards(sheet.png());
    ASSERT_EQ(cards.size(), 2u) << side;
    EXPECT_EQ(cards[0].title, "a/\u732b.png");
    ASSERT_EQ(cards[0].lines.size(), 1u);
    EXPECT_EQ(cards[0].lines[0].text, "cat");
    EXPECT_EQ(cards[0].lines[0].share, 0.25);
    EXPECT_EQ(cards[0].lines[0].colour, kRed);
    EXPECT_EQ(cards[0].picture.width, std::min(side, 176));
    if (side <= 176) {
      EXPECT_EQ(cards[0].picture.pixels, picture.pixels) << side;
    }
    EXPECT_TRUE(cards[1].lines.empty());
  }
}

TEST(CardSheet, OtherFilesHaveNone) {
  EXPECT_TRUE(read_cards("").empty());
  EXPECT_TRUE(read_cards("\x89PNG\r\n\x1a\n...").empty());
  EXPECT_TRUE(read_cards(image::encode_png(image::Image(2, 2))).empty());
  for (
      const char* text :
      {"no JSON",
       "[1]",
       "[{\"left\":0}]",
       "{}",
       "[[]]",
       R"([{"left":0,"top":0,"width":9,"height":9,"scale":1,"title":"","lines":[]}])",
       R"([{"left":0,"top":0,"width":2,"height":2,"scale":0,"title":"","lines":[]}])",
       R"([{"left":0,"top":0,"width":2,"height":2,"scale":1,"title":"","lines":[{"text":"a","share":1,"colour":"x"}]}])"}) {
    const std::string file = image::encode_png(image::Image(2, 2), text);
    try {
      EXPECT_TRUE(read_cards(file).empty()) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kData) << text;
    }
  }
  // A file that was cut off, or changed.
  CardSheet sheet({.count = 1, .size = {16, 16}});
  sheet.add({.picture = image::Image(16, 16), .title = "a"});
  const std::string whole = sheet.png();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    try {
      read_cards(whole.substr(0, size));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kData) << size;
    }
  }
}

} // namespace
} // namespace vitrain::pictures

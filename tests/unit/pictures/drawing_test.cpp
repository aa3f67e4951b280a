#include "pictures/drawing.h"

#include <gtest/gtest.h>

#include "pictures/cards.h"

namespace vitrain::pictures {
namespace {

Colour at(const image::Image& image, int x, int y) {
  const std::uint8_t* pixel = image::View(image).row(y) + 3 * x;
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(Drawing, FillsPartsOfPixels) {
  Drawing drawing(4, 4, {0, 0, 0});
  drawing.fill({1, 1, 1.5, 2}, {200, 100, 40});
  EXPECT_EQ(at(drawing.image(), 1, 1), (Colour{200, 100, 40}));
  EXPECT_EQ(at(drawing.image(), 2, 2), (Colour{100, 50, 20})); // half of it
  EXPECT_EQ(at(drawing.image(), 3, 1), (Colour{0, 0, 0}));
  EXPECT_EQ(at(drawing.image(), 1, 0), (Colour{0, 0, 0}));
  EXPECT_EQ(at(drawing.image(), 1, 3), (Colour{0, 0, 0}));
}

TEST(Drawing, LeavesOutWhatIsOutside) {
  Drawing drawing(8, 8);
  drawing.fill({-5, -5, 100, 100}, kBlue);
  drawing.line({-20, 4}, {30, 4}, 2, kRed);
  drawing.text({-3, 5}, "text that goes on and on", {});
  drawing.text({4, 20}, "upwards", {.turned = true});
  const image::Image picture(20, 20);
  drawing.picture(-4, -4, image::View(picture));
  EXPECT_EQ(at(drawing.image(), 7, 7), (Colour{0, 0, 0}));
}

TEST(Drawing, WritesTextWhereItStands) {
  const auto ink = [](const image::Image& image, const image::Rect& part) {
    double sum = 0;
    for (int y = part.top; y < part.top + part.height; ++y) {
      for (int x = part.left; x < part.left + part.width; ++x) {
        sum += 255 - at(image, x, y).red;
      }
    }
    return sum;
  };
  Drawing drawing(100, 100);
  drawing.text({50, 50}, "HHH", {.size = 20});
  EXPECT_GT(ink(drawing.image(), {50, 30, 50, 20}), 1000);
  EXPECT_EQ(ink(drawing.image(), {0, 0, 50, 100}), 0);
  EXPECT_EQ(ink(drawing.image(), {0, 51, 100, 49}), 0);
  Drawing right(100, 100);
  right.text({50, 50}, "HHH", {.size = 20, .align = Align::kRight});
  EXPECT_GT(ink(right.image(), {0, 30, 50, 20}), 1000);
  Drawing turned(100, 100); // from the point upwards, to the left of it
  turned.text({50, 50}, "HHH", {.size = 20, .turned = true});
  EXPECT_GT(ink(turned.image(), {30, 0, 20, 50}), 1000);
  EXPECT_EQ(ink(turned.image(), {51, 0, 49, 100}), 0);
}

TEST(CardSheet, HasRoomForAllCards) {
  for (const int side : {16, 32, 150, 224, 384}) {
    for (const std::int64_t count : {1, 2, 7, 100}) {
      CardSheet sheet(
          {.count = count,
           .lines = 3,
           .size = {side, side / 2},
           .heading = "Heading",
           .note = "note"});
      for (std::int64_t i = 0; i < count; ++i) {
        sheet.add(
            {.picture = image::Image(side, side / 2),
             .title = "a/long/path/of/an/image/that/has/no/room.jpg",
             .lines = {{.text = "class", .share = 0.5}, {.text = "plain"}}});
      }
      // The sheet contains the frame of the last card and the margin after it.
      const image::Image& image = sheet.image();
      bool edge = false;
      for (int x = 0; x < image.width; ++x) {
        edge = edge || at(image, x, image.height - 21) == kEdge;
        EXPECT_EQ(at(image, x, image.height - 1), kPage);
      }
      EXPECT_TRUE(edge) << side << " " << count;
    }
  }
}

} // namespace
} // namespace vitrain::pictures

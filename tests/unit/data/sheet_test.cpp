#include "data/sheet.h"

#include <gtest/gtest.h>

#include <vector>

#include "image/decode.h"
#include "image/png_write.h"

namespace vitrain::data {
namespace {

const std::uint8_t* at(const image::Image& image, int x, int y) {
  return image.pixels.data() + 3 * (y * image.width + x);
}

TEST(Sheet, HoldsTheSquaresSideBySide) {
  // Three squares of 2 x 2 pixels whose bytes count up.
  std::vector<std::uint8_t> rows(36);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint8_t>(i);
  }
  const image::Image sheet = contact_sheet(rows, 3, 2, 3, 2);
  EXPECT_EQ(sheet.width, 10);
  EXPECT_EQ(sheet.height, 10);
  EXPECT_EQ(at(sheet, 0, 0)[0], 128);
  EXPECT_EQ(at(sheet, 2, 2)[0], 0);
  EXPECT_EQ(at(sheet, 3, 3)[2], 11);
  EXPECT_EQ(at(sheet, 6, 2)[0], 12);
  EXPECT_EQ(at(sheet, 2, 6)[0], 24);
  EXPECT_EQ(at(sheet, 6, 6)[0], 128); // nothing there
}

TEST(Sheet, ShowsOneChannelAsGrey) {
  const std::vector<std::uint8_t> rows{7, 8, 9, 10};
  const image::Image sheet = contact_sheet(rows, 1, 2, 1, 1);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(at(sheet, 2, 2)[c], 7);
    EXPECT_EQ(at(sheet, 3, 3)[c], 10);
  }
}

TEST(Sheet, IsAPngThatReadsBackEqual) {
  std::vector<std::uint8_t> rows(5 * 9 * 9 * 3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint8_t>(i * 37);
  }
  const image::Image sheet = contact_sheet(rows, 5, 9, 3, 3);
  const std::string png = image::encode_png(sheet);
  const image::Image read = image::decode(
      {reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
  EXPECT_EQ(read.width, sheet.width);
  EXPECT_EQ(read.height, sheet.height);
  EXPECT_EQ(read.pixels, sheet.pixels);
  EXPECT_EQ(read.warnings, 0);
}

} // namespace
} // namespace vitrain::data

#include "pictures/contact_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "image/formats/decode.h"
#include "image/formats/png_write.h"
#include "pictures/font.h"
#include "support/errors.h"
#include "support/files.h"

namespace vitrain::pictures {
namespace {

const std::uint8_t* pixel(const image::Image& image, int x, int y) {
  return image.pixels.data() + 3 * (y * image.width + x);
}

ContactSheet sheet_of(
    const std::vector<std::uint8_t>& rows,
    int count,
    int size,
    int channels,
    const std::vector<std::string>& captions = {}) {
  ContactSheet sheet(count, size, channels, caption_width(captions));
  const auto bytes = static_cast<std::size_t>(size * size * channels);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    sheet.add(
        std::span(rows).subspan(i * bytes, bytes),
        captions.empty() ? "" : captions[i]);
  }
  return sheet;
}

TEST(Sheet, HoldsTheSquaresSideBySide) {
  // Three squares of 2 x 2 pixels whose bytes count up.
  std::vector<std::uint8_t> rows(36);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint8_t>(i);
  }
  const ContactSheet all = sheet_of(rows, 3, 2, 3);
  EXPECT_EQ(all.columns(), 2);
  const image::Image& sheet = all.image();
  EXPECT_EQ(sheet.width, 10);
  EXPECT_EQ(sheet.height, 10);
  EXPECT_EQ(pixel(sheet, 0, 0)[0], 128);
  EXPECT_EQ(pixel(sheet, 2, 2)[0], 0);
  EXPECT_EQ(pixel(sheet, 3, 3)[2], 11);
  EXPECT_EQ(pixel(sheet, 6, 2)[0], 12);
  EXPECT_EQ(pixel(sheet, 2, 6)[0], 24);
  EXPECT_EQ(pixel(sheet, 6, 6)[0], 128); // nothing there
}

// How dark the grey is below a square, in columns [left, right).
int ink(const image::Image& sheet, int left, int right, int top, int bottom) {
  int sum = 0;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      sum += 128 - pixel(sheet, x, y)[0];
    }
  }
  return sum;
}

TEST(Sheet, NamesStandBelowTheSquares) {
  const std::vector<std::uint8_t> rows(2 * 24 * 24 * 3, 200);
  const std::vector<std::string> names{"A\xC3\xA9", "horses"};
  const image::Image sheet = sheet_of(rows, 2, 24, 3, names).image();
  // Two squares of 24 pixels with room for the longer name below.
  const int room = caption_width(names);
  EXPECT_GT(room, 24);
  EXPECT_EQ(sheet.width, 2 * (room + 2) + 2);
  EXPECT_EQ(sheet.height, 24 + 2 + 14 + 2 + 2);
  const int shorter = caption_width(std::span(names).first(1));
  EXPECT_GT(ink(sheet, 2, 2 + shorter, 28, 42), 1000);
  EXPECT_EQ(ink(sheet, 3 + shorter, 2 + room, 28, 42), 0);
  EXPECT_GT(ink(sheet, room + 4 + room / 2, 2 * room + 4, 28, 42), 1000);
  EXPECT_EQ(pixel(sheet, 2, 25)[0], 200);
  EXPECT_EQ(pixel(sheet, 27, 25)[0], 128); // next to a square
}

TEST(Sheet, LongNamesAreCut) {
  const std::vector<std::uint8_t> rows(16 * 16 * 3, 200);
  const std::string name = "abcdefghijklmn";
  const image::Image cut = sheet_of(rows, 1, 16, 3, {name}).image();
  EXPECT_EQ(cut.width, 64 + 4);
  const std::string fitting = fit_text(name, 11, 64);
  EXPECT_THAT(fitting, testing::EndsWith("\u2026"));
  const image::Image shorter = sheet_of(rows, 1, 16, 3, {fitting}).image();
  EXPECT_EQ(
      ink(cut, 0, cut.width, 20, 34), ink(shorter, 0, shorter.width, 20, 34));
  const image::Image other =
      sheet_of(rows, 1, 16, 3, {name.substr(0, 8)}).image();
  EXPECT_NE(ink(cut, 0, cut.width, 20, 34), ink(other, 0, other.width, 20, 34));
}

TEST(Sheet, ManySquaresAreReduced) {
  const ContactSheet hundred(100, 224, 3, 80);
  EXPECT_EQ(hundred.tile(), image::Size(224));
  for (const std::int64_t count : {500, 5000, 20000}) {
    const ContactSheet sheet(count, 224, 3, 80);
    EXPECT_LT(sheet.tile().width, 224);
    EXPECT_GE(sheet.tile().width, 16);
    const std::int64_t pixels =
        std::int64_t{sheet.image().width} * sheet.image().height;
    EXPECT_LE(pixels, 8 << 20);
    EXPECT_GT(pixels, 6 << 20);
  }
  // Reduced squares keep their colour and their place.
  std::vector<std::uint8_t> square(224 * 224 * 3, 90);
  ContactSheet sheet(5000, 224, 3, 0);
  sheet.add(square, "");
  square.assign(square.size(), 30);
  sheet.add(square, "");
  EXPECT_EQ(pixel(sheet.image(), 2, 2)[0], 90);
  EXPECT_EQ(pixel(sheet.image(), 2 + sheet.tile().width + 2, 2)[0], 30);
  EXPECT_THAT(
      error_of(ExitCode::kUsage, [] { ContactSheet(30000, 32, 3, 32); }),
      testing::HasSubstr("-count 30,000: a sheet has room for at most 25,"));
}

TEST(Sheet, ImagesMayBeWiderThanHigh) {
  // Two images of 2 x 3 pixels, wide.
  std::vector<std::uint8_t> rows(36);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint8_t>(i);
  }
  ContactSheet sheet(2, {3, 2}, 3, 0);
  sheet.add(std::span(rows).first(18), "");
  sheet.add(std::span(rows).last(18), "");
  EXPECT_EQ(pixel(sheet.image(), 2, 2)[0], 0);
  EXPECT_EQ(pixel(sheet.image(), 4, 3)[2], 17);
  const int down = sheet.columns() == 1 ? 2 + 2 : 0; // below or to the right
  const int right = sheet.columns() == 1 ? 0 : 3 + 2;
  EXPECT_EQ(pixel(sheet.image(), 2 + right, 2 + down)[0], 18);
  const ContactSheet many(5000, {224, 112}, 3, 0);
  EXPECT_NEAR(many.tile().width, 2 * many.tile().height, 1);
}

TEST(Sheet, ShowsOneChannelAsGrey) {
  const std::vector<std::uint8_t> rows{7, 8, 9, 10};
  const image::Image sheet = sheet_of(rows, 1, 2, 1).image();
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(pixel(sheet, 2, 2)[c], 7);
    EXPECT_EQ(pixel(sheet, 3, 3)[c], 10);
  }
}

TEST(Sheet, IsAPngThatReadsBackEqual) {
  std::vector<std::uint8_t> rows(5 * 9 * 9 * 3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint8_t>(i * 37);
  }
  const image::Image sheet = sheet_of(rows, 5, 9, 3).image();
  const std::string png = image::encode_png(sheet);
  const image::Image read = image::decode(
      {reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
  EXPECT_EQ(read.width, sheet.width);
  EXPECT_EQ(read.height, sheet.height);
  EXPECT_EQ(read.pixels, sheet.pixels);
  EXPECT_EQ(read.warnings, 0);
}

TEST(Sheet, IsToldFromOtherPictures) {
  const std::string png = image::encode_png(image::Image(3, 2));
  EXPECT_TRUE(image::is_drawn_png(png));
  EXPECT_TRUE(image::is_drawn_png(png.substr(0, image::kPngStart)));
  EXPECT_FALSE(image::is_drawn_png(png.substr(0, image::kPngStart - 1)));
  EXPECT_FALSE(image::is_drawn_png(""));
  EXPECT_FALSE(image::is_drawn_png(
      slurp(VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_8.png")));
}

} // namespace
} // namespace vitrain::pictures

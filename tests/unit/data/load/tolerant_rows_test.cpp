#include "data/load/tolerant_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "data/image_inputs.h"
#include "data/load/image_rows.h"
#include "data/load/row_picture.h"
#include "image/formats/png_write.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::Each;
using testing::HasSubstr;

TEST(TolerantRows, AreZeroWhereAnImageCannotBeRead) {
  const TempFolder folder;
  image::Image white(6, 6);
  std::ranges::fill(white.pixels, std::uint8_t{255});
  const auto good = folder.write("good.png", image::encode_png(white));
  const auto bad = folder.write("bad.png", "<html>");
  const std::vector<std::string> names{good, bad, folder / "none.png"};
  const ImageRows rows(
      image_inputs(names, [](std::span<char>) { return std::size_t{0}; }),
      {.size = 4, .crop_pct = 1.0});
  const TolerantRows tolerant(rows, /*reject_warnings=*/false);
  const auto scratch = tolerant.make_scratch();
  std::vector<std::uint8_t> out(tolerant.bytes(), 7);
  tolerant.fill({.sample = 0}, out, *scratch);
  EXPECT_THAT(out, Each(255));
  EXPECT_EQ(tolerant.problem(0), "");
  tolerant.fill({.sample = 1}, out, *scratch);
  EXPECT_THAT(out, Each(0));
  expect_message(tolerant.problem(1), {});
  EXPECT_THAT(tolerant.problem(1), testing::Not(HasSubstr("bad.png")));
  tolerant.fill({.sample = 2}, out, *scratch);
  EXPECT_EQ(tolerant.problem(2), "No such file or directory");
  EXPECT_EQ(tolerant.describe(1), bad.native());

  const auto picture = picture_of(rows, 0, 4, 3);
  ASSERT_TRUE(picture);
  EXPECT_THAT(picture->pixels, Each(255));
  EXPECT_FALSE(picture_of(rows, 1, 4, 3));
}

// Images of 16 bits are clipped as Pillow clips them, and counted.
TEST(TolerantRows, CountClippedImages) {
  const auto ranges =
      std::filesystem::path(VITRAIN_SOURCE_DIR) / "tests/golden/image/ranges";
  const std::vector<std::string> names{
      ranges / "dark.png", ranges / "wide.png", ranges / "wide.tif"};
  const auto images =
      image_inputs(names, [](std::span<char>) { return std::size_t{0}; });
  const auto clipped = [&](const TransformOptions& options, bool reject) {
    const ImageRows rows(images, options);
    const TolerantRows tolerant(rows, reject);
    const auto scratch = tolerant.make_scratch();
    std::vector<std::uint8_t> out(tolerant.bytes());
    for (const std::int64_t sample : {0, 1, 2, 1}) {
      tolerant.fill({.sample = sample}, out, *scratch);
    }
    EXPECT_EQ(tolerant.problem(1) != "", reject);
    return tolerant.clipped();
  };
  TransformOptions options{.size = 4, .crop_pct = 1.0};
  EXPECT_EQ(clipped(options, false), (std::set<std::int64_t>{1, 2}));
  EXPECT_EQ(clipped(options, true), std::set<std::int64_t>());
  options.decode.range = {0.0, 65535.0};
  EXPECT_EQ(clipped(options, false), std::set<std::int64_t>());
}

} // namespace
} // namespace vitrain::data

#include "image/formats/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "support/errors.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

Bytes file(const std::string& name) {
  return fixtures::read(fixtures::folder() / "files" / name);
}

// The message with which decoding fails, or "" when it does not.
std::string failure(const Bytes& bytes, const DecodeOptions& options = {}) {
  return error_of(ExitCode::kData, [&] { decode(bytes, options); });
}

TEST(Decode, EqualsPillowOnEveryKindOfFile) {
  const auto rows = fixtures::rows("decode.csv");
  ASSERT_GE(rows.size(), 50u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    const Image image = decode(file(row[0]));
    EXPECT_EQ(std::to_string(image.width), row[1]);
    EXPECT_EQ(std::to_string(image.height), row[2]);
    EXPECT_EQ(std::to_string(fixtures::crc(image.pixels)), row[3]);
    EXPECT_EQ(image.warnings, 0);
  }
}

TEST(Decode, EqualsPillowOnImageNet) {
  const auto path = std::filesystem::path(VITRAIN_SOURCE_DIR) /
      "../shared/data/imagenet-sample.tar";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there";
  }
  const Bytes tar = fixtures::read(path);
  for (const auto& row : fixtures::rows("imagenet.csv")) {
    SCOPED_TRACE(row[0]);
    const Image image = decode(fixtures::tar_member(tar, row[0]));
    EXPECT_EQ(std::to_string(image.width), row[1]);
    EXPECT_EQ(std::to_string(image.height), row[2]);
    EXPECT_EQ(std::to_string(fixtures::crc(image.pixels)), row[3]);
  }
}

TEST(Decode, CountsDefectsThatItWorksAround) {
  Bytes restarts = file("restarts.jpg");
  for (std::size_t i = 600; i + 1 < restarts.size(); ++i) {
    if (restarts[i] == 0xFF && restarts[i + 1] == 0xD1) {
      restarts[i + 1] = 0xD3; // the wrong restart marker
      break;
    }
  }
  EXPECT_GT(decode(restarts).warnings, 0);
  Bytes no_end = file("rgb_8.png");
  no_end.erase(no_end.end() - 3, no_end.end());
  EXPECT_EQ(decode(no_end).pixels, decode(file("rgb_8.png")).pixels);
  EXPECT_EQ(decode(no_end).warnings, 1);
}

TEST(Decode, RefusesTooManyScans) {
  DecodeOptions options;
  options.max_scans = 3;
  EXPECT_THAT(
      failure(file("progressive.jpg"), options),
      HasSubstr("scans, more than the limit of 3"));
}

} // namespace
} // namespace vitrain::image

// Every format and variant against Pillow (tests/golden/image/make_formats.py,
// make_tiff_avif.py and make_avif_xmp.py), and what damaged or dishonest files
// do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "image/formats/decode.h"
#include "image/formats/decoder.h"
#include "image/formats/exif.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes file_bytes(const std::string& name) {
  return fixtures::read(fixtures::folder() / "formats" / name);
}

std::string format_of(const std::string& name) {
  const std::string extension = name.substr(name.rfind('.') + 1);
  if (extension == "jpg" || extension == "mpo" || extension == "jfif") {
    return "JPEG";
  }
  if (extension == "webp") {
    return "WebP";
  }
  if (extension == "tif") {
    return "TIFF";
  }
  if (extension == "png" || extension == "bmp" || extension == "gif" ||
      extension == "avif") {
    std::string upper;
    for (const char c : extension) {
      upper += static_cast<char>(c - 'a' + 'A');
    }
    return upper;
  }
  return "PPM";
}

std::string summary(const Image& image) {
  return fmt::format(
      "{},{},{}", image.width, image.height, fixtures::crc(image.pixels));
}

// Size and checksum, or the reason for refusing.
std::string outcome(const Bytes& bytes, const DecodeOptions& options = {}) {
  try {
    return summary(decode(bytes, options));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kData);
    return error.what();
  }
}

std::string expected(const std::vector<std::string>& row, std::size_t first) {
  return row[first] + "," + row[first + 1] + "," + row[first + 2];
}

TEST(Formats, EqualPillow) {
  const auto rows = fixtures::format_rows();
  ASSERT_GE(rows.size(), 220u + 150u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    EXPECT_EQ(outcome(file_bytes(row[0])), expected(row, 1));
  }
}

TEST(Formats, AreTurnedAsPillowTurnsThem) {
  DecodeOptions options;
  options.exif_orientation = true;
  int turned = 0;
  for (const auto& row : fixtures::format_rows()) {
    SCOPED_TRACE(row[0]);
    EXPECT_EQ(outcome(file_bytes(row[0]), options), expected(row, 4));
    turned += row[3] != row[6] ? 1 : 0;
  }
  EXPECT_GE(turned, 7 * 3);
}

// The object that the loader uses gives the same pixels, whatever it decoded
// before.
TEST(Formats, DecoderGivesTheSamePixels) {
  for (const bool turn : {false, true}) {
    DecodeOptions options;
    options.exif_orientation = turn;
    Decoder decoder(options);
    for (const auto& row : fixtures::format_rows()) {
      SCOPED_TRACE(row[0]);
      const Bytes bytes = file_bytes(row[0]);
      decoder.open(bytes);
      Image image;
      image.width = decoder.width();
      image.height = decoder.height();
      const auto part = decoder.decode({0, 0, image.width, image.height});
      ASSERT_EQ(part.left, 0);
      ASSERT_EQ(part.top, 0);
      for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* from = part.view.row(y);
        image.pixels.insert(image.pixels.end(), from, from + 3 * image.width);
      }
      EXPECT_EQ(summary(image), expected(row, turn ? 4 : 1));
    }
  }
}

// Files with more than 8 bits a sample: tests/golden/image/make_ranges.py.
TEST(Formats, ScaleARangeAndReportWhatIsClipped) {
  const auto rows = fixtures::rows("ranges.csv");
  ASSERT_GE(rows.size(), 50u);
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    DecodeOptions options;
    if (!row[1].empty()) {
      options.range = {std::stod(row[1]), std::stod(row[2])};
    }
    const Bytes bytes = fixtures::read(fixtures::folder() / "ranges" / row[0]);
    const Image image = decode(bytes, options);
    EXPECT_EQ(std::to_string(fixtures::crc(image.pixels)), row[4]);
    EXPECT_EQ(image.clipped, row[3] == "1");
    EXPECT_EQ(image.warnings, 0);
    Decoder decoder(options);
    decoder.open(bytes);
    EXPECT_EQ(decoder.decode({0, 0, 2, 2}).clipped, row[3] == "1");
  }
}

// Turning makes another image, which says the same.
TEST(Formats, TurnedImagesKeepWhatWasReported) {
  Image image(2, 1);
  image.clipped = true;
  image.warnings = 3;
  const Image turned = oriented(image, 6);
  EXPECT_TRUE(turned.clipped);
  EXPECT_EQ(turned.warnings, 3);
}

TEST(Formats, HeadersEqualTheImages) {
  for (const auto& row : fixtures::format_rows()) {
    SCOPED_TRACE(row[0]);
    const ImageHeader header = read_header(file_bytes(row[0]));
    EXPECT_EQ(header.format, format_of(row[0]));
    EXPECT_EQ(std::to_string(header.width), row[1]);
    EXPECT_EQ(std::to_string(header.height), row[2]);
  }
}

} // namespace
} // namespace vitrain::image

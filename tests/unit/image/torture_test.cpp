// Damaged, dishonest and unusual files: rows of the torture table that concern
// decoders. Row numbers are in the tests' names.
#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "image/formats/decode.h"
#include "image/formats/exif.h"
#include "support/damage.h"
#include "support/errors.h"
#include "unit/image/fixtures.h"
#include "unit/image/forgery.h"

namespace vitrain::image {
namespace {

using forgery::Bytes;
using forgery::bytes_of;
using testing::AnyOf;
using testing::HasSubstr;

struct Seed {
  std::string name;
  Bytes bytes;
};

// All golden files.
std::vector<Seed> seeds() {
  std::vector<Seed> all;
  const auto add = [&](const auto& rows, const char* folder) {
    for (const auto& row : rows) {
      all.push_back(
          {row[0], fixtures::read(fixtures::folder() / folder / row[0])});
    }
  };
  add(fixtures::rows("decode.csv"), "files");
  add(fixtures::format_rows(), "formats");
  return all;
}

Bytes seed(const std::string& name) {
  for (const char* folder : {"files", "formats"}) {
    Bytes bytes = fixtures::read(fixtures::folder() / folder / name);
    if (!bytes.empty()) {
      return bytes;
    }
  }
  ADD_FAILURE() << name << " is not there";
  return {};
}

// The message with which decoding fails, or "" when it does not.
std::string failure(const Bytes& bytes, const DecodeOptions& options = {}) {
  return error_of(ExitCode::kData, [&] { decode(bytes, options); });
}

TEST(Torture, Row33CutFilesAreRefusedOrWhole) {
  int refused = 0;
  for (const auto& [name, whole] : seeds()) {
    if (name.starts_with("P2") || name.starts_with("P3")) {
      continue; // the last number may lose digits unnoticed
    }
    SCOPED_TRACE(name);
    const Image image = decode(whole);
    for (const std::size_t percent : {10, 50, 90, 99}) {
      Bytes cut = whole;
      cut.resize(whole.size() * percent / 100);
      try {
        // The missing bytes came after the last pixel.
        EXPECT_EQ(decode(cut).pixels, image.pixels) << percent << " %";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kData);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 4 * 200);
  EXPECT_THAT(failure({}), HasSubstr("an empty file"));
  EXPECT_THAT(failure({0xFF, 0xD8}), HasSubstr("starts with ff d8"));
  const Bytes jpeg = seed("rgb_420.jpg");
  Bytes header(jpeg.begin(), jpeg.begin() + 200);
  EXPECT_THAT(failure(header), HasSubstr("damaged JPEG"));
}

TEST(Torture, Row34DamagedBytesNeverCrash) {
  Random random(1, Purpose::kInit, 0, 0);
  DecodeOptions options;
  options.max_pixels = 1 << 20;
  options.exif_orientation = true;
  int decoded = 0;
  for (const auto& [name, whole] : seeds()) {
    SCOPED_TRACE(name);
    for (int round = 0; round < 24; ++round) {
      Bytes bytes = whole;
      damage(bytes, random);
      decoded += failure(bytes, options).empty() ? 1 : 0;
    }
  }
  // Most flips in the middle of data go unnoticed.
  EXPECT_GT(decoded, 500);
}

TEST(Torture, Row34JpegDefectsAreCountedOrHarmless) {
  const Bytes whole = seed("restarts.jpg");
  const Image image = decode(whole);
  Bytes longer = whole;
  longer.insert(longer.end(), 1000, 0x5A);
  EXPECT_EQ(decode(longer).pixels, image.pixels);
  EXPECT_EQ(
      decode(forgery::with_segment(whole, 0xEB, Bytes(60000, 0xFF))).pixels,
      image.pixels);
  Random random(2, Purpose::kInit, 0, 0);
  int warned = 0;
  for (int flip = 0; flip < 200; ++flip) {
    Bytes bytes = whole;
    const std::size_t at = 623 + random.below(bytes.size() - 623);
    bytes[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
    try {
      warned += decode(bytes).warnings > 0 ? 1 : 0;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kData);
    }
  }
  EXPECT_GT(warned, 10);
}

TEST(Torture, Row35JpegsThatNobodyReadsAreNamed) {
  const Bytes plain = seed("rgb_444.jpg");
  EXPECT_THAT(
      failure(forgery::with_precision(plain, 12)),
      AllOf(HasSubstr("unsupported JPEG"), HasSubstr("precision 12")));
  for (const int kind : {0xC3, 0xC5, 0xC7, 0xCB, 0xCF}) {
    EXPECT_THAT(
        failure(forgery::with_frame_kind(plain, kind)),
        AllOf(HasSubstr("unsupported JPEG"), HasSubstr("SOF type")));
  }
  EXPECT_THAT(
      failure(forgery::with_two_channels(plain)),
      HasSubstr("unsupported JPEG: it has 2 colour channels"));
}

TEST(Torture, Row36OtherContentIsNamed) {
  const std::pair<std::string, const char*> known[] = {
      {"1234ftypheic", "a HEIC image"},
      {"1234ftypheix", "a HEIC image"},
      {"1234ftypmif1", "a HEIF image"},
      {"1234ftypisom", "an MP4 video"},
      {std::string("\0\0\0\x0CJXL ", 8), "a JPEG XL image"},
      {"\xFF\x0A\x01", "a JPEG XL image"},
      {std::string("\0\0\0\x0CjP  ", 8), "a JPEG 2000 image"},
      {"qoif", "a QOI image"},
      {"%PDF-1.4", "a PDF document"},
      {"PK\x03\x04", "a zip archive"},
      {"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"},
      {"<!DOCTYPE html>\n<html>404", "text or HTML"},
      {"P7\nWIDTH 3", "text or HTML"},
      {"Perhaps a text", "text or HTML"},
      {"GIF88a", "text or HTML"}};
  for (const auto& [start, name] : known) {
    EXPECT_THAT(
        failure(bytes_of(start)),
        AllOf(HasSubstr(name), HasSubstr("supported are JPEG, PNG, WebP")));
    EXPECT_THROW(read_header(bytes_of(start)), Error);
  }
}

// CPU seconds of this thread, and by how much the most memory that the process
// ever had grew (KiB).
struct Cost {
  double seconds = 0;
  long memory = 0;
};

long peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stol(line.substr(6));
    }
  }
  return 0;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
      static_cast<double>(now.tv_nsec) * 1e-9;
}

Cost cost_of(const auto& action) {
  std::ofstream("/proc/self/clear_refs") << "5"; // the peak begins anew
  const long memory = peak_memory();
  const double start = cpu_seconds();
  action();
  return {cpu_seconds() - start, peak_memory() - memory};
}

// Zeros, deflated.
const std::string& hundred_megabytes() {
  static const std::string zeros = forgery::deflated_zeros(100'000'000);
  return zeros;
}

TEST(Torture, Row37BombsAreRefusedAtOnce) {
  using forgery::with_jpeg_size;
  const std::string& zeros = hundred_megabytes();
  const Bytes progressive = seed("progressive.jpg");
  const std::vector<Seed> bombs = {
      {"JPEG baseline", with_jpeg_size(seed("rgb_444.jpg"), 65500, 65500)},
      {"JPEG progressive", with_jpeg_size(progressive, 20000, 20000)},
      {"JPEG below the limit", with_jpeg_size(progressive, 13000, 13000)},
      {"JPEG arithmetic", with_jpeg_size(seed("arithmetic.jpg"), 13000, 13000)},
      {"JPEG scans",
       with_jpeg_size(forgery::with_scans(progressive, 1000), 2000, 2000)},
      {"PNG", forgery::png(50000, 50000, zeros)},
      {"PNG below the limit", forgery::png(13000, 13000, zeros)},
      {"WebP canvas",
       forgery::webp_canvas(seed("animated.webp"), 1 << 24, 200)},
      {"WebP canvas below the limit",
       forgery::webp_canvas(seed("animated.webp"), 13000, 13000)},
      {"WebP lossless", forgery::webp_lossless(16384, 16384)},
      {"WebP lossless below the limit", forgery::webp_lossless(13000, 13000)},
      {"GIF", forgery::gif_screen(seed("pillow.gif"), 65535, 65535)},
      {"GIF below the limit",
       forgery::gif_screen(seed("pillow.gif"), 13000, 13000)},
      {"BMP", forgery::bmp_size(seed("rgb_32.bmp"), 0x7FFFFFFF, 0x7FFFFFFF)},
      {"BMP below the limit",
       forgery::bmp_size(seed("rgb_32.bmp"), 13000, 13000)},
      {"BMP runs", forgery::bmp_size(seed("rle8.bmp"), 13000, 13000)},
      {"TIFF", forgery::tiff_size(seed("rgb_little.tif"), 60000, 60000)},
      {"TIFF below the limit",
       forgery::tiff_size(seed("rgb_little.tif"), 13000, 13000)},
      {"TIFF deflate",
       forgery::tiff_size(seed("one_row_strips.tif"), 13000, 13000)},
      {"TIFF LZW", forgery::tiff_size(seed("tiff_lzw_rgb.tif"), 13000, 13000)},
      {"TIFF group 4", forgery::tiff_size(seed("group4.tif"), 13000, 13000)},
      {"TIFF JPEG", forgery::tiff_size(seed("jpeg_ycbcr.tif"), 13000, 13000)},
      {"AVIF", forgery::avif_size(seed("yuv420_full.avif"), 16000, 16000)},
      {"AVIF below the limit",
       forgery::avif_size(seed("yuv420_full.avif"), 13000, 13000)},
      {"PPM", bytes_of("P6 99999 99999 255 ")},
      {"PPM text", bytes_of("P3 13000 13000 255 1 2 3")},
      {"PPM bits", bytes_of("P4 13000 13000 1 2 3")}};
  for (const auto& [name, bytes] : bombs) {
    SCOPED_TRACE(name);
    const Cost cost = cost_of([&] {
      EXPECT_THAT(
          failure(bytes),
          AnyOf(
              HasSubstr("more than the limit of 178956970 pixels"),
              HasSubstr("more than the limit of 100"),
              HasSubstr("cannot hold"),
              HasSubstr("decompression bomb"),
              HasSubstr("need more bytes"),
              HasSubstr("do not fit together")));
      // The header alone is harmless, whatever it says.
      try {
        read_header(bytes);
      } catch (const Error&) {
      }
    });
    EXPECT_LT(cost.seconds, 0.05);
    EXPECT_LT(cost.memory, 10 * 1024);
  }
}

// libpng skips the data after the pixels by unpacking them.
TEST(Torture, Row37DataBehindThePixelsAreNotUnpacked) {
  const Bytes bomb = forgery::png(3, 3, hundred_megabytes());
  const Cost cost = cost_of([&] {
    EXPECT_THAT(failure(bomb), HasSubstr("the limit of 32768 bytes behind"));
  });
  EXPECT_LT(cost.seconds, 0.1); // what fits under the limit takes half of it
  EXPECT_LT(cost.memory, 10 * 1024);
  EXPECT_EQ(failure(forgery::png(3, 3, forgery::deflated_zeros(100'000))), "");
}

TEST(Torture, Row37TheLimitIsExact) {
  DecodeOptions options;
  EXPECT_EQ(failure(forgery::webp_lossless(600, 500)), "");
  for (const char* name :
       {"rgb_444.jpg",
        "lossless.webp",
        "pillow.gif",
        "filters.png",
        "rgb_little.tif",
        "yuv420_full.avif"}) {
    SCOPED_TRACE(name);
    const Bytes bytes = seed(name);
    const ImageHeader header = read_header(bytes);
    const int pixels = header.width * header.height;
    options.max_pixels = pixels - 1;
    EXPECT_THAT(failure(bytes, options), HasSubstr("more than the limit"));
    options.max_pixels = pixels;
    EXPECT_EQ(failure(bytes, options), "");
  }
}

TEST(Torture, Row38PngSideInformationIsNotUnpacked) {
  const std::string& zeros = hundred_megabytes();
  const Bytes plain = seed("filters.png");
  const Image image = decode(plain);
  for (const auto& [kind, start] :
       std::vector<std::pair<const char*, std::string>>{
           {"zTXt", std::string("Comment\0\0", 9)},
           {"iTXt", std::string("Comment\0\1\0\0\0", 12)},
           {"iCCP", std::string("profile\0\0", 9)}}) {
    SCOPED_TRACE(kind);
    const Bytes bytes = forgery::with_chunk(plain, kind, start + zeros);
    const Cost cost = cost_of([&] {
      const Image same = decode(bytes);
      EXPECT_EQ(same.pixels, image.pixels);
    });
    EXPECT_LT(cost.seconds, 0.05);
    EXPECT_LT(cost.memory, 10 * 1024);
  }
}

TEST(Torture, Row38DamagedPngsAreRefused) {
  Bytes png = seed("filters.png");
  png[png.size() - 20] ^= 1; // inside IDAT
  EXPECT_THAT(failure(png), HasSubstr("damaged PNG"));
  EXPECT_THAT(
      failure(forgery::png(2, 9, forgery::deflated_zeros(14))),
      HasSubstr("damaged PNG"));
}

// 1 2 3 / 4 5 6, turned in each way; row 39 on files is in formats_test.cpp.
TEST(Torture, Row39EveryOrientation) {
  Image image;
  image.width = 3;
  image.height = 2;
  for (std::uint8_t value = 1; value <= 6; ++value) {
    image.pixels.insert(image.pixels.end(), 3, value);
  }
  const auto shown = [&](int orientation) {
    const Image turned = oriented(image, orientation);
    std::string text;
    for (int y = 0; y < turned.height; ++y) {
      for (int x = 0; x < turned.width; ++x) {
        text += static_cast<char>('0' + View(turned).row(y)[3 * x]);
      }
      text += '/';
    }
    return text;
  };
  EXPECT_EQ(shown(0), "123/456/");
  EXPECT_EQ(shown(1), "123/456/");
  EXPECT_EQ(shown(2), "321/654/");
  EXPECT_EQ(shown(3), "654/321/");
  EXPECT_EQ(shown(4), "456/123/");
  EXPECT_EQ(shown(5), "14/25/36/");
  EXPECT_EQ(shown(6), "41/52/63/");
  EXPECT_EQ(shown(7), "63/52/41/");
  EXPECT_EQ(shown(8), "36/25/14/");
  EXPECT_EQ(shown(9), "123/456/");
}

} // namespace
} // namespace vitrain::image

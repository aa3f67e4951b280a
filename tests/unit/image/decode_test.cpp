#include "image/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

Bytes file(const std::string& name) {
  return fixtures::read(fixtures::folder() / "files" / name);
}

Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

// The message with which decoding fails, or "" when it does not.
std::string failure(const Bytes& bytes, const DecodeOptions& options = {}) {
  try {
    decode(bytes, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kData);
    return error.what();
  }
  return "";
}

void put32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  }
}

// A PNG chunk with a correct checksum.
void add_chunk(Bytes& png, const std::string& kind, const std::string& body) {
  Bytes chunk(4);
  put32(chunk, 0, static_cast<std::uint32_t>(body.size()));
  chunk.insert(chunk.end(), kind.begin(), kind.end());
  chunk.insert(chunk.end(), body.begin(), body.end());
  const auto checksum = fixtures::crc(std::span(chunk).subspan(4));
  chunk.resize(chunk.size() + 4);
  put32(chunk, chunk.size() - 4, checksum);
  png.insert(png.end(), chunk.begin(), chunk.end());
}

std::string deflate_zeros(std::size_t size) {
  const std::string plain(size, '\0');
  std::string packed(compressBound(size), '\0');
  uLongf length = packed.size();
  compress2(
      reinterpret_cast<Bytef*>(packed.data()),
      &length,
      reinterpret_cast<const Bytef*>(plain.data()),
      size,
      9);
  packed.resize(length);
  return packed;
}

Bytes png_of(std::uint32_t width, std::uint32_t height, std::string data) {
  Bytes png = bytes_of("\x89PNG\r\n\x1A\n");
  Bytes header(13);
  put32(header, 0, width);
  put32(header, 4, height);
  header[8] = 8;
  header[9] = 2;
  add_chunk(png, "IHDR", std::string(header.begin(), header.end()));
  add_chunk(png, "IDAT", data);
  add_chunk(png, "IEND", "");
  return png;
}

// Overwrites the size in a JPEG's frame header.
Bytes with_claimed_size(Bytes jpeg, int width, int height) {
  for (std::size_t i = 2; i + 9 < jpeg.size();) {
    const int marker = jpeg[i + 1];
    if (marker == 0xC0 || marker == 0xC2) {
      jpeg[i + 5] = static_cast<std::uint8_t>(height >> 8);
      jpeg[i + 6] = static_cast<std::uint8_t>(height);
      jpeg[i + 7] = static_cast<std::uint8_t>(width >> 8);
      jpeg[i + 8] = static_cast<std::uint8_t>(width);
      return jpeg;
    }
    i += 2 + (std::size_t{jpeg[i + 2]} << 8 | jpeg[i + 3]);
  }
  ADD_FAILURE() << "no frame header";
  return jpeg;
}

double seconds_of(const auto& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
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

TEST(Decode, RefusesFilesThatEndTooEarly) {
  for (const auto& row : fixtures::rows("decode.csv")) {
    SCOPED_TRACE(row[0]);
    const Bytes whole = file(row[0]);
    if (row[0] == "trailing_garbage.jpg") {
      continue; // its last tenth may be missing without harm
    }
    const bool png = row[0].starts_with("png") || row[0].ends_with(".png");
    for (const std::size_t percent : {10, 50, 99}) {
      Bytes cut = whole;
      cut.resize(whole.size() * percent / 100);
      // The last 12 bytes of a PNG only say that it ends.
      if (!png || whole.size() - cut.size() > 16) {
        EXPECT_NE(failure(cut), "") << percent << " %";
      }
    }
  }
  Bytes cut = file("progressive.jpg");
  cut.resize(cut.size() - 2);
  EXPECT_THAT(failure(cut), HasSubstr("truncated"));
}

TEST(Decode, NamesWhatTheContentIs) {
  EXPECT_THAT(failure({}), HasSubstr("an empty file"));
  EXPECT_THAT(failure({0xFF, 0xD8}), HasSubstr("starts with ff d8"));
  EXPECT_THAT(failure(bytes_of("1234ftypheic")), HasSubstr("a HEIC image"));
  EXPECT_THAT(failure(bytes_of("1234ftypisom")), HasSubstr("an MP4 video"));
  EXPECT_THAT(failure(bytes_of("1234ftypavif")), HasSubstr("an AVIF image"));
  const std::string html = failure(bytes_of("<!DOCTYPE html>\n<html>404"));
  EXPECT_THAT(html, HasSubstr("text or HTML"));
  EXPECT_THAT(html, HasSubstr("supported are JPEG, PNG, WebP"));
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
  no_end.resize(no_end.size() - 3);
  EXPECT_EQ(decode(no_end).pixels, decode(file("rgb_8.png")).pixels);
  EXPECT_EQ(decode(no_end).warnings, 1);
}

TEST(Decode, RefusesBombsBeforeAllocating) {
  const Bytes baseline = with_claimed_size(file("rgb_444.jpg"), 65500, 65500);
  const Bytes under_the_limit =
      with_claimed_size(file("progressive.jpg"), 13000, 13000);
  const Bytes tall = with_claimed_size(file("grey.jpg"), 1, 65500);
  const Bytes wide_png = png_of(50000, 50000, deflate_zeros(100000));
  const Bytes small_png = png_of(13000, 13000, deflate_zeros(100000));
  std::string messages;
  const double seconds = seconds_of([&] {
    EXPECT_THAT(failure(baseline), HasSubstr("65500 x 65500 pixels, more"));
    EXPECT_THAT(failure(under_the_limit), HasSubstr("cannot hold 13000"));
    EXPECT_THAT(failure(tall), HasSubstr("cannot hold 1 x 65500"));
    EXPECT_THAT(failure(wide_png), HasSubstr("50000 x 50000 pixels, more"));
    EXPECT_THAT(failure(small_png), HasSubstr("cannot hold 13000"));
  });
  EXPECT_LT(seconds, 0.5);
  DecodeOptions options;
  options.max_pixels = 61 * 47 - 1;
  EXPECT_THAT(failure(file("rgb_444.jpg"), options), HasSubstr("61 x 47"));
  options.max_pixels = 61 * 47;
  EXPECT_EQ(failure(file("rgb_444.jpg"), options), "");
}

TEST(Decode, RefusesTooManyScans) {
  DecodeOptions options;
  options.max_scans = 3;
  EXPECT_THAT(
      failure(file("progressive.jpg"), options),
      HasSubstr("scans, more than the limit of 3"));
}

TEST(Decode, IgnoresHugePngTexts) {
  Bytes png = png_of(2, 2, deflate_zeros(14));
  Bytes bomb(png.begin(), png.begin() + 33);
  // 64 MiB of zeros behind a keyword, packed to 64 KiB.
  std::string text("Comment\0\0", 9);
  text += deflate_zeros(std::size_t{64} << 20);
  add_chunk(bomb, "zTXt", text);
  bomb.insert(bomb.end(), png.begin() + 33, png.end());
  EXPECT_LT(seconds_of([&] { decode(bomb); }), 0.5);
}

TEST(Decode, RefusesPngWithBadChecksumOrMissingRows) {
  Bytes png = file("rgb_8.png");
  png[png.size() - 20] ^= 1; // inside IDAT
  EXPECT_THAT(failure(png), HasSubstr("damaged PNG"));
  EXPECT_THAT(
      failure(png_of(2, 9, deflate_zeros(14))), HasSubstr("damaged PNG"));
}

// Any result is right but a crash: the sanitizer builds look for one.
TEST(Decode, SurvivesDamagedBytes) {
  Random random(1, Purpose::kInit, 0, 0);
  int decoded = 0;
  for (const auto& row : fixtures::rows("decode.csv")) {
    const Bytes whole = file(row[0]);
    for (int round = 0; round < 40; ++round) {
      Bytes bytes = whole;
      const int flips = 1 + static_cast<int>(random.below(6));
      for (int i = 0; i < flips; ++i) {
        bytes[random.below(bytes.size())] ^=
            static_cast<std::uint8_t>(1 + random.below(255));
      }
      if (round % 8 == 0) {
        const std::size_t start = random.below(bytes.size());
        const std::size_t end =
            std::min(bytes.size(), start + random.below(40));
        std::fill(
            bytes.begin() + static_cast<std::ptrdiff_t>(start),
            bytes.begin() + static_cast<std::ptrdiff_t>(end),
            round % 16 == 0 ? 0x00 : 0xFF);
      }
      DecodeOptions options;
      options.max_pixels = 1 << 20;
      decoded += failure(bytes, options).empty() ? 1 : 0;
    }
  }
  // Most flips in JPEG data go unnoticed: not everything was refused early.
  EXPECT_GT(decoded, 100);
}

} // namespace
} // namespace vitrain::image

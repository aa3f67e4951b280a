// Images of other numbers of channels than 1 and 3, against what wrote them
// (tests/golden/image/make_channels.py).
#include "image/operations/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "image/formats/decode.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

Bytes channels_file(const std::string& name) {
  return fixtures::read(fixtures::folder() / "channels" / name);
}

// Pictures as pixels [height, width, channels].
Bytes joined(const std::vector<Image>& pictures, int channels) {
  Bytes all;
  for (const Image& picture : pictures) {
    all.insert(all.end(), picture.pixels.begin(), picture.pixels.end());
  }
  const std::size_t pixels = pictures.front().pixels.size() / 3;
  Bytes out(pixels * static_cast<std::size_t>(channels));
  join_channels(all, channels, out);
  return out;
}

std::string refusal(const Bytes& bytes, int channels) {
  try {
    decode_channels(bytes, channels);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kData);
    return error.what();
  }
  return "read";
}

TEST(Channels, EqualWhatWasWritten) {
  const auto rows = fixtures::rows("channels.csv");
  ASSERT_GE(rows.size(), 10u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    const int channels = std::stoi(row[1]);
    const Bytes bytes = channels_file(row[0]);
    const std::vector<Image> pictures = decode_channels(bytes, channels);
    ASSERT_EQ(std::ssize(pictures), pictures_of(channels));
    EXPECT_EQ(pictures.front().width, std::stoi(row[2]));
    EXPECT_EQ(pictures.front().height, std::stoi(row[3]));
    EXPECT_EQ(pictures.front().warnings, 0);
    EXPECT_EQ(
        std::to_string(fixtures::crc(joined(pictures, channels))), row[4]);
    // Room for the samples and for the pictures.
    EXPECT_GE(
        decode_bytes(bytes, {}, channels),
        std::int64_t{pictures.front().width} * pictures.front().height *
            (channels + 3 * pictures_of(channels)));
  }
}

TEST(Channels, WhatTheLastPictureLacksIsZero) {
  const std::vector<Image> pictures =
      decode_channels(channels_file("five.tif"), 5);
  for (std::size_t i = 2; i < pictures[1].pixels.size(); i += 3) {
    ASSERT_EQ(pictures[1].pixels[i], 0);
  }
}

TEST(Channels, SplitAndJoinAreInverses) {
  for (const int channels : {1, 2, 3, 4, 5, 6, 7, 64}) {
    Bytes pixels(static_cast<std::size_t>(35 * channels));
    std::iota(pixels.begin(), pixels.end(), std::uint8_t{1});
    std::vector<Image> pictures(
        static_cast<std::size_t>(pictures_of(channels)), Image(7, 5));
    const auto row = static_cast<std::size_t>(7 * channels);
    for (std::size_t y = 0; y < 5; ++y) {
      split_channels(
          std::span(pixels).subspan(y * row, row), channels, pictures, y * 7);
    }
    EXPECT_EQ(joined(pictures, channels), pixels) << channels;
  }
}

TEST(Channels, AreSeenAsGreyOrAsTheFirstThree) {
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(in_colours(pixels, 2, 1, 4).pixels, (Bytes{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(
      in_colours(std::span(pixels).first(4), 2, 1, 2).pixels,
      (Bytes{1, 1, 1, 3, 3, 3}));
  EXPECT_EQ(
      in_colours(std::span(pixels).first(2), 2, 1, 1).pixels,
      (Bytes{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(
      in_colours(std::span(pixels).first(6), 2, 1, 3).pixels,
      (Bytes{1, 2, 3, 4, 5, 6}));
}

TEST(Channels, OtherFilesAreRefusedWithTheReason) {
  const auto of = [](const std::string& name) {
    return refusal(channels_file(name), 5);
  };
  EXPECT_THAT(of("sixteen_bits_bad.tif"), HasSubstr("samples of 16 bits"));
  EXPECT_THAT(
      of("floats_bad.tif"),
      AllOf(HasSubstr("samples of 32 bits"), HasSubstr("no whole numbers")));
  EXPECT_EQ(of("four_bad.tif"), "its pixels have 4 channels, and 5 are wanted");
  EXPECT_EQ(
      of("colours_bad.png"), "its pixels have 3 channels, and 5 are wanted");
  EXPECT_THAT(
      of("colours_bad.jpg"),
      AllOf(HasSubstr("is a JPEG file"), HasSubstr("5 channels are wanted")));
  EXPECT_THAT(refusal({}, 5), HasSubstr("an empty file"));
  EXPECT_EQ(decode_bytes(channels_file("colours_bad.jpg"), {}, 5), 0);
}

TEST(Channels, LargeImagesAreRefused) {
  try {
    decode_channels(channels_file("five.tif"), 5, {.max_pixels = 100});
    ADD_FAILURE() << "read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("more than the limit of 100"));
  }
}

// Every file cut off at every byte, and with each byte of its directory
// changed, is read or refused.
TEST(Channels, DamageIsAnError) {
  for (const auto& row : fixtures::rows("channels.csv")) {
    SCOPED_TRACE(row[0]);
    const int channels = std::stoi(row[1]);
    const Bytes bytes = channels_file(row[0]);
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      EXPECT_NE(
          refusal(
              {bytes.begin(), bytes.begin() + std::ptrdiff_t(size)}, channels),
          "");
    }
    for (std::size_t i = 0; i < bytes.size(); i += i < 400 ? 1 : 13) {
      Bytes damaged = bytes;
      damaged[i] ^= 0x81;
      EXPECT_NE(refusal(damaged, channels), "");
    }
  }
}

} // namespace
} // namespace vitrain::image

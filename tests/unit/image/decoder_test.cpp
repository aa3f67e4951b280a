#include "image/formats/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "core/random.h"
#include "image/jpeg/packed_jpeg.h"
#include "jpeg_encoding.h"

namespace vitrain::image {
namespace {

using Bytes = std::vector<std::uint8_t>;
using fixtures::encode;
using fixtures::Encoding;

Rect random_rect(int width, int height, Random& random) {
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
  };
  Rect rect;
  rect.left = below(width);
  rect.top = below(height);
  rect.width = 1 + below(width - rect.left);
  rect.height = 1 + below(height - rect.top);
  return rect;
}

// Whether a part shows the same pixels as the whole image inside `rect`.
bool equal(const Decoder::Part& part, const Image& whole, const Rect& rect) {
  const View expected = View(whole).crop(rect);
  const View got = part.view.crop(
      {rect.left - part.left, rect.top - part.top, rect.width, rect.height});
  for (int y = 0; y < rect.height; ++y) {
    if (std::memcmp(
            expected.row(y),
            got.row(y),
            static_cast<std::size_t>(rect.width) * 3) != 0) {
      return false;
    }
  }
  return true;
}

std::vector<Simd> instruction_sets() {
  std::vector<Simd> sets{Simd::kScalar};
  for (const Simd simd : {Simd::kAvx2, Simd::kAvx512}) {
    if (simd <= best_simd()) {
      sets.push_back(simd);
    }
  }
  return sets;
}

// Compares random rectangles of a file, on every instruction set, with
// libjpeg's whole image. Returns true if parts were decoded instead of the
// whole.
bool check_parts(const Bytes& bytes, int rects, std::uint64_t seed) {
  const Image whole = decode(bytes);
  bool in_part = false;
  for (const Simd simd : instruction_sets()) {
    Decoder decoder({}, simd);
    Random random(seed, Purpose::kCrop, 0, 0);
    for (int i = 0; i < rects; ++i) {
      decoder.open(bytes);
      EXPECT_EQ(decoder.width(), whole.width);
      EXPECT_EQ(decoder.height(), whole.height);
      const Rect rect = i == 0 ? Rect{0, 0, whole.width, whole.height}
                               : random_rect(whole.width, whole.height, random);
      const Decoder::Part part = decoder.decode(rect);
      in_part |= part.view.width != whole.width;
      EXPECT_TRUE(equal(part, whole, rect))
          << "simd " << static_cast<int>(simd) << ", " << rect.width << " x "
          << rect.height << " at " << rect.left << ", " << rect.top;
    }
  }
  return in_part;
}

Bytes copy_of(const std::string& text) {
  return {text.begin(), text.end()};
}

// Checks that a packed file unpacks to itself and that its parts have its
// pixels.
void check_packed(const Bytes& bytes, int rects, std::uint64_t seed) {
  const auto packed = pack_jpeg(bytes);
  ASSERT_TRUE(packed);
  EXPECT_EQ(copy_of(unpack_jpeg(copy_of(*packed))), bytes);
  const Image whole = decode(bytes);
  EXPECT_EQ(decode(copy_of(*packed)).pixels, whole.pixels);
  check_parts(copy_of(*packed), rects, seed);
}

TEST(Decoder, GivesThePixelsOfEveryGoldenFile) {
  for (const auto& entry :
       std::filesystem::directory_iterator(fixtures::folder() / "files")) {
    SCOPED_TRACE(entry.path().filename().string());
    check_parts(fixtures::read(entry.path()), 4, 1);
  }
}

TEST(Decoder, GivesThePixelsOfEverySampling) {
  Random random(7, Purpose::kAugment, 0, 0);
  int parts = 0;
  for (std::uint32_t i = 0; i < 240; ++i) {
    Encoding encoding;
    encoding.width = 1 + static_cast<int>(random.below(i % 5 == 0 ? 150 : 40));
    encoding.height = 1 + static_cast<int>(random.below(40));
    encoding.h = 1 + static_cast<int>(i % 2);
    encoding.v = 1 + static_cast<int>(i / 2 % 2);
    encoding.grey = i % 11 == 0;
    encoding.quality = 1 + static_cast<int>(random.below(100));
    encoding.optimised = i % 3 == 0;
    encoding.restart = i % 4 == 0 ? 1 + static_cast<int>(random.below(7)) : 0;
    SCOPED_TRACE(
        testing::Message() << i << ": " << encoding.width << " x "
                           << encoding.height << ", " << encoding.h << "x"
                           << encoding.v << ", quality " << encoding.quality
                           << ", restart " << encoding.restart);
    const Bytes bytes = encode(encoding, i);
    parts += check_parts(bytes, 6, i) ? 1 : 0;
    // Chroma of two columns is not smoothed: libjpeg's part.
    if (encoding.grey || encoding.h == 1 || encoding.width > 4) {
      check_packed(bytes, 6, i);
    }
  }
  EXPECT_GT(parts, 200); // the other images are too small for parts
}

// Coefficients that no encoder writes, beyond what sixteen bits hold between
// the passes of the inverse DCT: in the first row alone, where libjpeg's vector
// code takes a short cut, and in all.
TEST(Decoder, GivesThePixelsOfCoefficientsThatOverflow) {
  Random random(3, Purpose::kAugment, 0, 0);
  const auto up_to = [&](int largest) {
    return static_cast<int>(random.below(2 * largest + 1)) - largest;
  };
  for (int i = 0; i < 600; ++i) {
    std::array<int, 64> block{};
    const int largest = i % 4 == 0 ? 60 : 1023;
    const std::size_t row = random.below(8);
    for (std::size_t k = 0; k < 64; ++k) {
      const bool other_row = i % 3 == 2 && k / 8 == row;
      if ((k < 8 || other_row) && random.below(3) != 0) {
        block[k] = up_to(largest);
      }
    }
    const int step = 1 + static_cast<int>(random.below(i % 2 == 0 ? 255 : 20));
    const Bytes bytes = fixtures::encode_block(block, step);
    SCOPED_TRACE(testing::Message() << i << ", step " << step);
    check_parts(bytes, 2, 1);
    if (const auto packed = pack_jpeg(bytes)) {
      EXPECT_EQ(decode(copy_of(*packed)).pixels, decode(bytes).pixels);
    }
  }
}

TEST(Decoder, GivesThePixelsOfPhotographs) {
  const std::filesystem::path path = std::filesystem::path(VITRAIN_SOURCE_DIR) /
      "../shared/data/imagenet-sample.tar";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there";
  }
  const Bytes tar = fixtures::read(path);
  std::uint64_t seed = 0;
  for (const auto& row : fixtures::rows("imagenet.csv")) {
    SCOPED_TRACE(row[0]);
    const Bytes bytes = fixtures::tar_member(tar, row[0]);
    EXPECT_TRUE(check_parts(bytes, 3, ++seed));
    check_packed(bytes, 3, seed);
  }
}

// Where a damaged file can be decoded at all, the part shows what libjpeg makes
// of it.
TEST(Decoder, DamagedFilesGiveTheSamePixelsOrAnError) {
  Random random(3, Purpose::kAugment, 0, 0);
  int equal_parts = 0;
  for (std::uint32_t i = 0; i < 1500; ++i) {
    Encoding encoding{.width = 61, .height = 45};
    encoding.h = 1 + static_cast<int>(i % 2);
    encoding.restart = i % 3 == 0 ? 2 : 0;
    Bytes bytes = encode(encoding, i % 20);
    const std::size_t at = random.below(bytes.size());
    switch (i % 4) {
      case 0:
        bytes[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
        break;
      case 1:
        bytes[at] = 0xFF;
        break;
      case 2:
        std::fill(
            bytes.begin() + static_cast<std::ptrdiff_t>(at),
            bytes.begin() +
                static_cast<std::ptrdiff_t>(std::min(at + 9, bytes.size())),
            std::uint8_t{0});
        break;
      default:
        bytes.resize(at);
    }
    SCOPED_TRACE(i);
    try {
      Decoder decoder;
      decoder.open(bytes);
      const Rect rect = random_rect(decoder.width(), decoder.height(), random);
      const Decoder::Part part = decoder.decode(rect);
      const Image whole = decode(bytes);
      EXPECT_TRUE(equal(part, whole, rect));
      ++equal_parts;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kData);
    }
  }
  EXPECT_GT(equal_parts, 300);
}

TEST(Decoder, AFileWithoutItsEndIsAnErrorWhateverPartIsRead) {
  Bytes bytes = encode({.width = 64, .height = 64}, 5);
  bytes.erase(bytes.end() - 40, bytes.end());
  Decoder decoder;
  decoder.open(bytes);
  EXPECT_THROW(decoder.decode({0, 0, 8, 8}), Error);
}

TEST(PackedJpeg, FilesThatWouldNotComeBackAreNotPacked) {
  EXPECT_FALSE(pack_jpeg(encode({.progressive = true}, 1)));
  EXPECT_FALSE(
      pack_jpeg(fixtures::read(fixtures::folder() / "files/rgb_8.png")));
  EXPECT_FALSE(
      pack_jpeg(fixtures::read(fixtures::folder() / "files/cmyk.jpg")));
  EXPECT_FALSE(pack_jpeg({}));
  Bytes cut = encode({}, 1);
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(pack_jpeg(cut));
}

// T.81 knows one symbol that ends a block; decoders take fourteen more for it.
TEST(PackedJpeg, AFileWhoseTablesLackACodeIsNotPacked) {
  Bytes bytes = encode({.width = 40, .height = 24}, 4);
  int changed = 0;
  for (std::size_t at = 0; at + 21 < bytes.size(); ++at) {
    if (bytes[at] == 0xFF && bytes[at + 1] == 0xC4 && bytes[at + 4] >= 0x10) {
      const auto symbols = bytes.begin() + static_cast<std::ptrdiff_t>(at) + 21;
      *std::find(symbols, bytes.end(), std::uint8_t{0}) = 0x10;
      ++changed;
    }
  }
  ASSERT_EQ(changed, 2);
  EXPECT_TRUE(check_parts(bytes, 4, 1));
  EXPECT_FALSE(pack_jpeg(bytes));
}

TEST(PackedJpeg, BytesBehindTheImageComeBack) {
  Bytes bytes = encode({.width = 33, .height = 9, .restart = 3}, 2);
  for (int i = 0; i < 700; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i));
  }
  check_packed(bytes, 3, 1);
}

TEST(PackedJpeg, DamageIsAnError) {
  const auto packed = pack_jpeg(encode({.width = 70, .height = 50}, 3));
  ASSERT_TRUE(packed);
  Random random(5, Purpose::kAugment, 0, 0);
  for (int i = 0; i < 300; ++i) {
    Bytes bytes = copy_of(*packed);
    if (i % 2 == 0) {
      bytes[random.below(bytes.size())] ^= 16;
    } else {
      bytes.resize(random.below(bytes.size()));
    }
    // The fill bit and the size of the file are not part of the pixels.
    if (std::equal(
            bytes.begin() + 20,
            bytes.end(),
            packed->begin() + 20,
            packed->end(),
            [](std::uint8_t a, char b) {
              return a == static_cast<std::uint8_t>(b);
            })) {
      continue;
    }
    EXPECT_THROW(decode(bytes), Error) << i;
  }
}

TEST(Decoder, ServesManyFilesInTurn) {
  Decoder decoder;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Bytes bytes = i % 3 == 2
        ? fixtures::read(fixtures::folder() / "files/rgb_8.png")
        : encode(
              {.width = 5 + static_cast<int>(i * 7 % 60),
               .height = 90 - static_cast<int>(i) * 4,
               .grey = i % 4 == 0,
               .optimised = i % 2 == 0},
              i);
    const Image whole = decode(bytes);
    decoder.open(bytes);
    const Rect rect{whole.width / 3, whole.height / 4, 2, 3};
    EXPECT_TRUE(equal(decoder.decode(rect), whole, rect)) << i;
  }
}

} // namespace
} // namespace vitrain::image

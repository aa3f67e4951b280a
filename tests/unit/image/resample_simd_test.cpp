#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "image/operations/resample.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array kFilters{
    Filter::kNearest,
    Filter::kBox,
    Filter::kBilinear,
    Filter::kHamming,
    Filter::kBicubic,
    Filter::kLanczos};

std::string text(const Resizing& r) {
  std::ostringstream out;
  out << r.source_width << "x" << r.source_height << " -> " << r.width << "x"
      << r.height << ", filter " << static_cast<int>(r.filter) << ", window "
      << r.window.left << "," << r.window.top << " " << r.window.width << "x"
      << r.window.height << (r.mirrored ? ", mirrored" : "")
      << (r.pillow == Pillow::k13 ? ", of 13" : "");
  if (r.box) {
    out << ", box " << r.box->left << "," << r.box->top << "," << r.box->right
        << "," << r.box->bottom;
  }
  return out.str();
}

class Draw {
 public:
  explicit Draw(std::uint64_t trial)
      : random_(17, Purpose::kAugment, trial, 0) {}

  // In [low, high].
  int between(int low, int high) {
    return low +
        static_cast<int>(
               random_.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool coin() { return random_.below(2) == 0; }
  // Two of 0, 1/64, ..., side.
  std::pair<float, float> interval(int side) {
    const int a = between(0, side * 64 - 1);
    const int b = between(a + 1, side * 64);
    return {static_cast<float>(a) / 64, static_cast<float>(b) / 64};
  }
  // Mostly small, sometimes long, sometimes a single pixel.
  int side() {
    constexpr std::array kMost{1, 4, 30, 90, 90, 200, 2000};
    return between(1, kMost.at(static_cast<std::size_t>(between(0, 6))));
  }

  Resizing resizing() {
    Resizing r;
    r.source_width = side();
    r.source_height = r.source_width > 200 ? between(1, 9) : side();
    r.width = between(0, 4) == 0 ? r.source_width : side();
    r.height = r.width > 200 ? between(1, 9) : side();
    if (between(0, 4) == 0) {
      r.height = r.source_height;
    }
    r.filter = kFilters.at(static_cast<std::size_t>(between(0, 5)));
    if (coin()) {
      r.box.emplace();
      std::tie(r.box->left, r.box->right) = interval(r.source_width);
      std::tie(r.box->top, r.box->bottom) = interval(r.source_height);
    }
    r.window.left = coin() ? 0 : between(0, r.width - 1);
    r.window.top = coin() ? 0 : between(0, r.height - 1);
    r.window.width = r.width - r.window.left;
    r.window.height = r.height - r.window.top;
    if (coin()) {
      r.window.width = between(1, r.window.width);
      r.window.height = between(1, r.window.height);
    }
    r.mirrored = coin();
    r.pillow = coin() ? Pillow::k12 : Pillow::k13;
    return r;
  }

 private:
  Random random_;
};

// The window from the whole image by the scalar kernels.
Bytes expected(const Resizing& r, const Image& image) {
  Bytes out(static_cast<std::size_t>(r.window.width) * r.window.height * 3);
  Resampler(Simd::kScalar)
      .resize(
          r,
          {View(image)},
          out.data(),
          static_cast<std::size_t>(r.window.width) * 3);
  return out;
}

// Only the pixels of `rect`, in memory that ends with the last of them.
struct Part {
  std::unique_ptr<std::uint8_t[]> pixels;
  View view;

  Part(const Image& image, const Rect& rect) {
    const View from = View(image).crop(rect);
    const std::size_t row = static_cast<std::size_t>(rect.width) * 3;
    pixels.reset(new std::uint8_t[row * rect.height]);
    for (int y = 0; y < rect.height; ++y) {
      std::memcpy(pixels.get() + y * row, from.row(y), row);
    }
    view.pixels = pixels.get();
    view.width = rect.width;
    view.height = rect.height;
    view.stride = row;
  }
};

class ResampleSimd : public testing::TestWithParam<Simd> {
 protected:
  void SetUp() override {
    if (GetParam() > best_simd()) {
      GTEST_SKIP() << "this processor lacks the instruction set";
    }
  }
};

TEST_P(ResampleSimd, EqualsTheScalarKernelsOnThePixelsItNeeds) {
  Resampler resampler(GetParam());
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    const Resizing r = Draw(trial).resizing();
    const Image image = fixtures::pattern(
        static_cast<std::uint32_t>(trial), r.source_width, r.source_height);
    const Rect needed = source_window(r);
    const Part part(image, needed);
    const std::size_t row = static_cast<std::size_t>(r.window.width) * 3;
    constexpr std::size_t kBetween = 5;
    const auto rows = static_cast<std::size_t>(r.window.height);
    const std::unique_ptr<std::uint8_t[]> out(
        new std::uint8_t[rows * (row + kBetween) - kBetween]);
    std::fill_n(out.get(), rows * (row + kBetween) - kBetween, 77);
    resampler.resize(
        r, {part.view, needed.left, needed.top}, out.get(), row + kBetween);
    const Bytes wanted = expected(r, image);
    for (std::size_t y = 0; y < rows; ++y) {
      const std::uint8_t* got = out.get() + y * (row + kBetween);
      ASSERT_EQ(std::memcmp(got, wanted.data() + y * row, row), 0)
          << text(r) << ", row " << y;
      if (y + 1 < rows) {
        ASSERT_EQ(std::count(got + row, got + row + kBetween, 77), kBetween);
      }
    }
  }
}

// Weights and sums at their largest: black and white pixels.
TEST_P(ResampleSimd, EqualsTheScalarKernelsAtTheLimits) {
  Resampler resampler(GetParam());
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    Resizing r = Draw(5000 + trial).resizing();
    Image image = fixtures::pattern(
        static_cast<std::uint32_t>(trial), r.source_width, r.source_height);
    for (std::uint8_t& value : image.pixels) {
      value = value < 128 ? 0 : 255;
    }
    r.window = {0, 0, r.width, r.height};
    Bytes out(static_cast<std::size_t>(r.width) * r.height * 3);
    resampler.resize(
        r, {View(image)}, out.data(), static_cast<std::size_t>(r.width) * 3);
    ASSERT_EQ(out, expected(r, image)) << text(r);
  }
}

std::string name_of(const testing::TestParamInfo<Simd>& simd) {
  constexpr std::array kNames{"Scalar", "Avx2", "Avx512"};
  return kNames.at(static_cast<std::size_t>(simd.param));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ResampleSimd,
    testing::Values(Simd::kScalar, Simd::kAvx2, Simd::kAvx512),
    name_of);

// Changing any pixel outside of the source window changes nothing; every edge
// of the window is there for a reason.
TEST(Resample, SourceWindowIsWhatTheResultDependsOn) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const Resizing r = Draw(9000 + trial).resizing();
    const Rect needed = source_window(r);
    ASSERT_GE(needed.left, 0) << text(r);
    ASSERT_GE(needed.top, 0) << text(r);
    ASSERT_GT(needed.width, 0) << text(r);
    ASSERT_GT(needed.height, 0) << text(r);
    ASSERT_LE(needed.left + needed.width, r.source_width) << text(r);
    ASSERT_LE(needed.top + needed.height, r.source_height) << text(r);
    Image image = fixtures::pattern(1, r.source_width, r.source_height);
    const Bytes before = expected(r, image);
    for (int y = 0; y < r.source_height; ++y) {
      for (int x = 0; x < r.source_width; ++x) {
        const bool inside = x >= needed.left && y >= needed.top &&
            x < needed.left + needed.width && y < needed.top + needed.height;
        if (!inside) {
          const std::size_t at =
              (static_cast<std::size_t>(y) * r.source_width + x) * 3;
          image.pixels[at] ^= 0xFF;
        }
      }
    }
    ASSERT_EQ(expected(r, image), before) << text(r);
  }
}

} // namespace
} // namespace vitrain::image

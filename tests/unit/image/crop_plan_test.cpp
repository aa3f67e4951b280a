#include "image/operations/crop_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "image/operations/random_crop.h"
#include "unit/image/fixtures.h"

namespace vitrain::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes result_of(const CropPlan& plan) {
  return Bytes(
      static_cast<std::size_t>(plan.size.width) * plan.size.height * 3, 77);
}

// A side, or HEIGHTxWIDTH.
Size size_of(const std::string& text) {
  const std::size_t x = text.find('x');
  return x == std::string::npos
      ? Size(std::stoi(text))
      : Size(std::stoi(text.substr(x + 1)), std::stoi(text.substr(0, x)));
}

Bytes cut(const CropPlan& plan, const Image& from) {
  Resampler resampler;
  Bytes out = result_of(plan);
  cut(plan, {View(from)}, resampler, out);
  return out;
}

// The plan of a row of crops.csv.
CropPlan plan_of(const std::vector<std::string>& row) {
  const auto number = [&](int i) { return std::stoi(row[i]); };
  const int width = number(1);
  const int height = number(2);
  const Size size = size_of(row[3]);
  if (row[0] == "eval" || row[0] == "resize") {
    EvalCrop crop{.size = size};
    if (row[0] == "eval") {
      crop.crop_pct = std::stod(row[6]);
    } else {
      crop.resize = number(6);
    }
    if (row[5] == "squash") {
      crop.mode = CropMode::kSquash;
    } else if (row[5] == "border") {
      crop.mode = CropMode::kBorder;
      crop.fill = {124, 116, 104}; // round(255 * mean)
    }
    return plan_eval_crop(width, height, crop);
  }
  if (row[0] == "random") {
    return plan_resized_crop(
        {number(8), number(9), number(6), number(7)}, size);
  }
  const KeepRatio draw{std::stod(row[6]), std::stod(row[7])};
  CropPlan plan = plan_keep_ratio_crop(width, height, size, draw, nullptr);
  if (row[0] == "placed") {
    const auto place =
        [&](int in, int offset, int& first, int& count, int& at) {
          first = in < size.width ? 0 : offset;
          count = std::min(in, size.width);
          at = in < size.width ? -offset : 0;
        };
    place(
        plan.width, number(8), plan.window.left, plan.window.width, plan.left);
    place(
        plan.height, number(9), plan.window.top, plan.window.height, plan.top);
  }
  return plan;
}

void expect_equal(const std::string& file, Pillow pillow) {
  const auto rows = fixtures::rows(file);
  ASSERT_GT(rows.size(), 300u);
  Resampler resampler;
  for (const auto& row : rows) {
    const int width = std::stoi(row[1]);
    const int height = std::stoi(row[2]);
    const Image from = fixtures::pattern(
        static_cast<std::uint32_t>(width + height), width, height);
    CropPlan plan = plan_of(row);
    plan.filter = fixtures::filter_of(row[4]);
    plan.pillow = pillow;
    // Only the pixels that the plan needs.
    const Rect rect = plan.source();
    Bytes out = result_of(plan);
    cut(plan, {View(from).crop(rect), rect.left, rect.top}, resampler, out);
    ASSERT_EQ(std::to_string(fixtures::crc(out)), row[10])
        << testing::PrintToString(row);
  }
}

TEST(Crop, EqualsTimmAndTorchvision) {
  expect_equal("crops.csv", Pillow::k12);
}

TEST(Crop, EqualsTimmAndTorchvisionOnPillow13) {
  expect_equal("crops13.csv", Pillow::k13);
}

// torchvision's law on a large image, where every first try fits: the share of
// the area is uniform in `scale`, the logarithm of the ratio uniform in
// `ratio`.
TEST(Crop, DrawsAreaAndRatioFromTheirLaws) {
  constexpr int kDraws = 40000;
  constexpr double kSide = 20000;
  double area = 0;
  double area_squared = 0;
  double ratio = 0;
  double ratio_squared = 0;
  for (int i = 0; i < kDraws; ++i) {
    Random random(3, Purpose::kCrop, 0, static_cast<std::uint64_t>(i));
    const Rect rect =
        draw_resized_crop(20000, 20000, {0.08, 0.6}, {0.75, 4.0 / 3.0}, random);
    const double a = rect.width / kSide * (rect.height / kSide);
    const double r = std::log(static_cast<double>(rect.width) / rect.height);
    area += a / kDraws;
    area_squared += a * a / kDraws;
    ratio += r / kDraws;
    ratio_squared += r * r / kDraws;
    ASSERT_GE(rect.left, 0);
    ASSERT_GE(rect.top, 0);
    ASSERT_LE(rect.left + rect.width, 20000);
    ASSERT_LE(rect.top + rect.height, 20000);
  }
  // Means and variances of the uniform laws, within five standard errors.
  EXPECT_NEAR(area, 0.34, 5 * 0.15 / 200);
  EXPECT_NEAR(area_squared - area * area, 0.52 * 0.52 / 12, 0.0005);
  EXPECT_NEAR(ratio, 0.0, 5 * 0.166 / 200);
  const double span = 2 * std::log(4.0 / 3.0);
  EXPECT_NEAR(ratio_squared - ratio * ratio, span * span / 12, 0.0007);
}

TEST(Crop, DrawsPositionsUniformly) {
  std::vector<int> lefts(4);
  std::vector<int> tops(3);
  for (int i = 0; i < 12000; ++i) {
    Random random(4, Purpose::kCrop, 1, static_cast<std::uint64_t>(i));
    // Share and ratio are fixed: a 3 x 2 window of a 6 x 4 image.
    const Rect rect = draw_resized_crop(6, 4, {0.25, 0.25}, {1.5, 1.5}, random);
    ASSERT_EQ(rect.width, 3);
    ASSERT_EQ(rect.height, 2);
    ++lefts.at(static_cast<std::size_t>(rect.left));
    ++tops.at(static_cast<std::size_t>(rect.top));
  }
  for (const int count : lefts) {
    EXPECT_NEAR(count, 3000, 5 * std::sqrt(12000 * 0.25 * 0.75));
  }
  for (const int count : tops) {
    EXPECT_NEAR(count, 4000, 5 * std::sqrt(12000 * (1 / 3.0) * (2 / 3.0)));
  }
}

TEST(Crop, FallsBackToTheCentreOfExtremeImages) {
  Random random(5, Purpose::kCrop, 0, 0);
  const auto draw = [&](int width, int height) {
    return draw_resized_crop(
        width, height, {0.5, 1.0}, {0.75, 4.0 / 3.0}, random);
  };
  EXPECT_EQ(draw(1000, 3), (Rect{498, 0, 4, 3}));
  EXPECT_EQ(draw(3, 1001), (Rect{0, 498, 3, 4}));
  // round(1 * 4 / 3) is 1.
  EXPECT_EQ(draw(900, 1), (Rect{449, 0, 1, 1}));
  // Within the ratios nothing but the whole fits a share that is too large.
  EXPECT_EQ(
      draw_resized_crop(10, 9, {1.0, 1.0}, {4.0 / 3.0, 4.0 / 3.0}, random),
      (Rect{0, 0, 10, 8}));
}

// timm's law: each change happens in half of the cases, on its own.
TEST(Crop, DrawsZoomAndAspectFromTheirLaws) {
  constexpr int kDraws = 40000;
  int zooms = 0;
  int aspects = 0;
  int both = 0;
  double share = 0;
  double log_aspect = 0;
  for (int i = 0; i < kDraws; ++i) {
    Random random(6, Purpose::kCrop, 0, static_cast<std::uint64_t>(i));
    const KeepRatio draw = draw_keep_ratio({0.5, 0.9}, {0.5, 4.0}, random);
    zooms += draw.zoom != 1 ? 1 : 0;
    aspects += draw.aspect != 1 ? 1 : 0;
    both += draw.zoom != 1 && draw.aspect != 1 ? 1 : 0;
    share += draw.zoom != 1 ? 1 / (draw.zoom * draw.zoom) : 0;
    log_aspect += std::log2(draw.aspect);
    ASSERT_GE(draw.zoom, 1);
    ASSERT_LE(draw.zoom, std::sqrt(2.0) + 1e-9);
    ASSERT_GE(draw.aspect, 0.5 - 1e-9);
    ASSERT_LE(draw.aspect, 4 + 1e-9);
  }
  // Five standard errors.
  EXPECT_NEAR(zooms, kDraws / 2, 5 * 100);
  EXPECT_NEAR(aspects, kDraws / 2, 5 * 100);
  EXPECT_NEAR(both, kDraws / 4, 5 * 87);
  EXPECT_NEAR(share / zooms, 0.7, 5 * 0.1155 / 141);
  EXPECT_NEAR(log_aspect / aspects, 0.5, 5 * 0.866 / 141);
}

TEST(Crop, KeepRatioCropsAreEquallyLikelyEverywhere) {
  std::vector<int> lefts(5);
  for (int i = 0; i < 10000; ++i) {
    Random random(7, Purpose::kCrop, 0, static_cast<std::uint64_t>(i));
    // 12 x 8 pixels, of which 8 x 8 are seen.
    const CropPlan plan = plan_keep_ratio_crop(12, 8, 8, {}, &random);
    ASSERT_EQ(plan.window.top, 0);
    ++lefts.at(static_cast<std::size_t>(plan.window.left));
  }
  for (const int count : lefts) {
    EXPECT_NEAR(count, 2000, 5 * std::sqrt(10000 * 0.2 * 0.8));
  }
}

// One pixel, one row of thousands, at the size of a network.
TEST(Crop, TakesImagesOfAnyShape) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 5000}, {5000, 1}, {1, 10000}, {20000, 2}}) {
    Image flat;
    flat.width = width;
    flat.height = height;
    flat.pixels.assign(static_cast<std::size_t>(width) * height * 3, 203);
    for (int filter = 0; filter < 6; ++filter) {
      for (const CropMode mode : {CropMode::kCenter, CropMode::kSquash}) {
        CropPlan plan = plan_eval_crop(width, height, {.mode = mode});
        plan.filter = static_cast<Filter>(filter);
        ASSERT_EQ(cut(plan, flat), Bytes(224 * 224 * 3, 203));
      }
      Random random(8, Purpose::kCrop, 0, 0);
      CropPlan plan = plan_resized_crop(
          draw_resized_crop(width, height, {0.08, 1}, {0.75, 1.3}, random),
          224);
      plan.filter = static_cast<Filter>(filter);
      ASSERT_EQ(cut(plan, flat), Bytes(224 * 224 * 3, 203));
      plan = plan_keep_ratio_crop(width, height, 224, {1.1, 0.9}, &random);
      plan.filter = static_cast<Filter>(filter);
      ASSERT_EQ(cut(plan, flat), Bytes(224 * 224 * 3, 203));
    }
  }
  // An image one pixel high in a border, which timm refuses.
  Image row;
  row.width = 10000;
  row.height = 1;
  row.pixels.assign(30000, 203);
  const Bytes out =
      cut(plan_eval_crop(
              10000, 1, {.size = 8, .mode = CropMode::kBorder, .crop_pct = 1}),
          row);
  EXPECT_EQ(std::count(out.begin(), out.end(), 203), 8 * 3);
}

TEST(Crop, PaddedCropShiftsOverBlack) {
  const Image from = fixtures::pattern(6, 4, 4);
  for (int top = 0; top <= 4 + 2 * 3 - 4; ++top) {
    for (int left = 0; left <= 4 + 2 * 3 - 4; ++left) {
      const Bytes out =
          cut(plan_padded_crop(4, 4, 4, /*padding=*/3, left, top), from);
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
          const int sx = left + x - 3;
          const int sy = top + y - 3;
          const bool inside = sx >= 0 && sx < 4 && sy >= 0 && sy < 4;
          for (int c = 0; c < 3; ++c) {
            const int expected = inside ? View(from).row(sy)[sx * 3 + c] : 0;
            ASSERT_EQ(
                out[static_cast<std::size_t>((y * 4 + x) * 3 + c)], expected)
                << left << "," << top << " at " << x << "," << y;
          }
        }
      }
    }
  }
}

// torchvision's RandomCrop with padding_mode "reflect": positions -1, -2 are 1
// and 2, and positions after the last are mirrored too.
TEST(Crop, PaddedCropReflects) {
  constexpr int kSide = 6;
  constexpr int kPadding = 2;
  const Image from = fixtures::pattern(6, kSide, kSide);
  const auto source = [](int at) {
    return at < 0 ? -at : at >= kSide ? 2 * (kSide - 1) - at : at;
  };
  for (int top = 0; top <= 2 * kPadding; ++top) {
    for (int left = 0; left <= 2 * kPadding; ++left) {
      CropPlan plan =
          plan_padded_crop(kSide, kSide, kSide, kPadding, left, top);
      plan.border = CropPlan::Border::kReflect;
      const Bytes out = cut(plan, from);
      for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
          const int sx = source(left + x - kPadding);
          const int sy = source(top + y - kPadding);
          for (int c = 0; c < 3; ++c) {
            ASSERT_EQ(
                out[static_cast<std::size_t>((y * kSide + x) * 3 + c)],
                View(from).row(sy)[sx * 3 + c])
                << left << "," << top << " at " << x << "," << y;
          }
        }
      }
    }
  }
}

// DeiT's --src, by torchvision: tests/golden/image/make_padded_crops.py.
TEST(Crop, PaddedCropEqualsTorchvisionsResizeAndRandomCrop) {
  const auto rows = fixtures::rows("padded_crops13.csv");
  ASSERT_GT(rows.size(), 80u);
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    const auto number = [&](int i) { return std::stoi(row[i]); };
    const int width = number(0);
    const int height = number(1);
    const int size = number(2);
    const int padding = number(3);
    const Size to = padded_crop_resize(width, height, size);
    EXPECT_EQ(to.width + 2 * padding - size + 1, number(5));
    EXPECT_EQ(to.height + 2 * padding - size + 1, number(6));
    CropPlan plan =
        plan_padded_crop(width, height, size, padding, number(7), number(8));
    plan.filter = Filter::kBicubic;
    plan.pillow = Pillow::k13;
    if (row[4] == "reflect") {
      plan.border = CropPlan::Border::kReflect;
    }
    const Image from = fixtures::pattern(
        static_cast<std::uint32_t>(width + height), width, height);
    EXPECT_EQ(std::to_string(fixtures::crc(cut(plan, from))), row[9]);
  }
}

TEST(Crop, PaddedCropWithMorePaddingThanImage) {
  const Image from = fixtures::pattern(6, 3, 3);
  EXPECT_EQ(cut(plan_padded_crop(3, 3, 3, 10, 0, 0), from), Bytes(27, 0));
  EXPECT_EQ(cut(plan_padded_crop(3, 3, 3, 10, 20, 10), from), Bytes(27, 0));
  EXPECT_EQ(cut(plan_padded_crop(3, 3, 3, 10, 10, 10), from), from.pixels);
}

// In the resampler's own way: see also the sums with every window there.
TEST(Crop, MirroringReversesEveryRow) {
  for (const int size : {1, 2, 5, 32}) {
    const Image from = fixtures::pattern(7, size + 2, size);
    for (const int padding : {0, 2}) {
      CropPlan plan =
          plan_padded_crop(from.width, size, size, padding, padding / 2, 0);
      const Bytes plain = cut(plan, from);
      plan.mirrored = true;
      const Bytes mirrored = cut(plan, from);
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          for (int c = 0; c < 3; ++c) {
            const auto at = [&](int column) {
              return static_cast<std::size_t>((y * size + column) * 3 + c);
            };
            ASSERT_EQ(mirrored[at(x)], plain[at(size - 1 - x)]);
          }
        }
      }
    }
  }
}

} // namespace
} // namespace vitrain::image

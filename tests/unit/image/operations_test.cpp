#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "image/operations/affine.h"
#include "image/operations/blur.h"
#include "image/operations/colour_operations.h"
#include "image/operations/flip.h"
#include "image/operations/tones.h"
#include "unit/image/fixtures.h"

// The operations of augmentation against Pillow's, timm's and torchvision's on
// tests/golden/image/augment.csv.
namespace vitrain::image {
namespace {

using Row = std::vector<std::string>;
using Operation = std::function<
    void(const Canvas&, double argument, const AffineOptions&, Scratch&)>;

const std::map<std::string, Operation>& operations() {
  const auto alone = [](void (*function)(const Canvas&)) {
    return [=](const Canvas& canvas, double, const auto&, Scratch&) {
      function(canvas);
    };
  };
  const auto with_number = [](void (*function)(const Canvas&, double)) {
    return [=](const Canvas& canvas, double x, const auto&, Scratch&) {
      function(canvas, x);
    };
  };
  const auto with_count = [](void (*function)(const Canvas&, int)) {
    return [=](const Canvas& canvas, double x, const auto&, Scratch&) {
      function(canvas, static_cast<int>(x));
    };
  };
  const auto with_scratch =
      [](void (*function)(const Canvas&, double, Scratch&)) {
        return [=](const Canvas& canvas, double x, const auto&, Scratch& s) {
          function(canvas, x, s);
        };
      };
  const auto with_map = [](AffineMap (*map)(double)) {
    return [=](const Canvas& canvas,
               double x,
               const AffineOptions& options,
               Scratch& scratch) { affine(canvas, map(x), options, scratch); };
  };
  static const std::map<std::string, Operation> all{
      {"brightness", with_number(brightness)},
      {"contrast", with_number(contrast)},
      {"saturation", with_number(saturation)},
      {"sharpness", with_scratch(sharpness)},
      {"hue", with_number(hue)},
      {"gaussian_blur", with_scratch(gaussian_blur)},
      {"solarize", with_number(solarize)},
      {"solarize_add", with_count(solarize_add)},
      {"posterize", with_count(posterize)},
      {"invert", alone(invert)},
      {"autocontrast", alone(autocontrast)},
      {"equalize", alone(equalize)},
      {"grayscale", alone(grayscale)},
      {"flip_horizontal", alone(flip_horizontally)},
      {"flip_vertical", alone(flip_vertically)},
      {"shear_x", with_map([](double x) { return AffineMap{.b = x}; })},
      {"shear_y", with_map([](double x) { return AffineMap{.d = x}; })},
      {"translate_x", with_map([](double x) { return AffineMap{.c = x}; })},
      {"translate_y", with_map([](double x) { return AffineMap{.f = x}; })},
      {"rotate", rotate}};
  return all;
}

Image input(const Row& row) {
  const auto seed = static_cast<std::uint32_t>(std::stoi(row[4]));
  return fixtures::input(row[3], seed, std::stoi(row[5]), std::stoi(row[6]));
}

AffineOptions options_of(const Row& row) {
  const Interpolation interpolation = row[2] == "nearest"
      ? Interpolation::kNearest
      : row[2] == "bilinear" ? Interpolation::kBilinear
                             : Interpolation::kBicubic;
  return {interpolation, {124, 116, 104}};
}

TEST(Operations, EqualPillowsByteForByte) {
  const auto rows = fixtures::rows("augment.csv");
  ASSERT_EQ(rows.size(), 1766U);
  std::map<std::string, int> seen;
  Scratch scratch; // what one operation leaves there must not show in the next
  for (const Row& row : rows) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2] + ", seed " + row[4]);
    Image image = input(row);
    const Operation& operation = operations().at(row[0]);
    operation(Canvas(image), std::stod(row[1]), options_of(row), scratch);
    EXPECT_EQ(std::to_string(fixtures::crc(image.pixels)), row[7])
        << row[3] << " " << row[5] << " x " << row[6];
    ++seen[row[0]];
  }
  EXPECT_EQ(seen.size(), operations().size());
}

} // namespace
} // namespace vitrain::image

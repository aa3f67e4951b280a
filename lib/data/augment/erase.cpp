#include "data/augment/erase.h"

#include <cmath>

#include "core/random.h"

namespace vitrain::data {
namespace {

constexpr int kTries = 10;

int draw_offset(Random& random, int last) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(last) + 1));
}

// Samples one of `count` boxes; nullopt if none of kTries attempts fits.
std::optional<image::Rect> draw_box(
    Random& random,
    const EraseOptions& options,
    std::int64_t count,
    int height,
    int width) {
  for (int i = 0; i < kTries; ++i) {
    const double area = random.uniform(options.area[0], options.area[1]);
    const double aspect = std::exp(random.uniform(
        std::log(options.aspect[0]), std::log(options.aspect[1])));
    if (auto box = erased_box(height, width, area, count, aspect)) {
      box->top = draw_offset(random, height - box->height);
      box->left = draw_offset(random, width - box->width);
      return box;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<image::Rect> erased_box(
    int height,
    int width,
    double area,
    std::int64_t count,
    double aspect) {
  const double pixels =
      area * (static_cast<double>(height) * width) / static_cast<double>(count);
  const double h = std::nearbyint(std::sqrt(pixels * aspect));
  const double w = std::nearbyint(std::sqrt(pixels / aspect));
  if (h >= height || w >= width) {
    return std::nullopt;
  }
  return image::Rect{
      .width = static_cast<int>(w), .height = static_cast<int>(h)};
}

Erasing draw_erasing(
    const EraseOptions& options,
    const Draw& draw,
    int height,
    int width) {
  Random random = stream(options.seed, Purpose::kErase, draw);
  Erasing erasing;
  if (random.uniform() >= options.probability) {
    return erasing;
  }
  erasing.noise = random.next_u64();
  const std::int64_t count = 1 +
      static_cast<std::int64_t>(random.below(
          static_cast<std::uint64_t>(options.count)));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto box = draw_box(random, options, count, height, width);
    if (box && box->width > 0 && box->height > 0) {
      erasing.boxes.push_back(*box);
    }
  }
  return erasing;
}

std::vector<float>
erase_colour(const Erasing& erasing, std::size_t box, std::int64_t channels) {
  Random random(erasing.noise, Purpose::kEraseColour, box, /*b=*/0);
  std::vector<float> colour(static_cast<std::size_t>(channels));
  for (float& value : colour) {
    value = static_cast<float>(random.normal());
  }
  return colour;
}

std::vector<float> erase_numbers(std::uint64_t seed, std::size_t count) {
  Random random(seed, Purpose::kEraseNumbers, /*a=*/0, /*b=*/0);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = static_cast<float>(random.normal());
  }
  return numbers;
}

} // namespace vitrain::data

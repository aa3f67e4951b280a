#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image.h"
#include "image/operations/crop_math.h"
#include "results/prediction.h"

namespace vitrain::results {

// An image of a sheet of predictions.
struct PicturedPrediction {
  std::string path; // printable
  Prediction prediction;
  std::optional<image::Image> picture; // nullopt if it cannot be read
};

// Largest number of images that callers should put on a sheet: the first ones.
inline constexpr std::int64_t kMostPictured = 100;

// Draws the images `shown`, all of size `size`, each with up to five classes
// and a bar per class, or its problem; grey in place of a missing picture.
// `all`: number of images, including those not in `shown`.
image::Image draw_predictions(
    std::span<const PicturedPrediction> shown,
    const std::vector<std::string>& classes,
    const image::Size& size,
    std::int64_t all);

} // namespace vitrain::results

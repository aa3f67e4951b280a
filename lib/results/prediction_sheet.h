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

// Largest number of images on a sheet; of more, the first ones are drawn.
inline constexpr std::int64_t kMostPictured = 100;

// Draws images of one size, each with its classes and a bar per class. `all`:
// total number of images, including those that are not drawn.
image::Image draw_predictions(
    std::span<const PicturedPrediction> shown,
    const std::vector<std::string>& classes,
    const image::Size& size,
    std::int64_t all);

} // namespace vitrain::results

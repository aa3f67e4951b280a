#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image.h"
#include "image/resample/crop_math.h"
#include "results/prediction.h"

namespace vitrain::results {

// What a sheet of predictions shows of an image.
struct PicturedPrediction {
  std::string path; // printable
  Prediction prediction;
  std::optional<image::Image> picture; // nothing where it cannot be read
};

// So many images are on a sheet; of more, the first ones.
inline constexpr std::int64_t kMostPictured = 100;

// Images of one size, each with its classes and a bar for each of them. `all`:
// the images that there are, also beyond the sheet.
image::Image draw_predictions(
    std::span<const PicturedPrediction> shown,
    const std::vector<std::string>& classes,
    const image::Size& size,
    std::int64_t all);

} // namespace vitrain::results

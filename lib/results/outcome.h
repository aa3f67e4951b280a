#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "image/image.h"

namespace vitrain::results {

// Result of one sample.
struct Outcome {
  std::int64_t sample = 0;
  std::int32_t label = 0;
  std::int32_t prediction = -1; // the first of the most probable classes
  float probability = 0; // of the prediction
  float loss = 0; // cross entropy

  bool right() const { return prediction == label; }
  // True if the outputs were finite, so that there is a prediction.
  bool finite() const { return prediction >= 0; }
};

// An evaluation, sample by sample.
struct Evaluation {
  std::vector<Outcome> outcomes; // in the dataset's order
  std::vector<std::string> classes; // that may be predicted, so all labels too
  std::int64_t of_classes =
      0; // number of the network's classes; 0: `classes` is all of them
  // Returns a sample's printable location; and its preprocessed picture,
  // nullopt if there is none.
  std::function<std::string(std::int64_t sample)> path;
  std::function<std::optional<image::Image>(std::int64_t sample)> picture;
};

// Wrong outcomes, those with the largest loss first; of equal losses in the
// dataset's order.
std::vector<Outcome> mistakes_of(
    const std::vector<Outcome>& outcomes,
    std::size_t most);

} // namespace vitrain::results

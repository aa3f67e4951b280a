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
  // Most probable class, the first of equal ones; -1: none.
  std::int32_t prediction = -1;
  float probability = 0; // probability of the prediction
  float loss = 0; // cross entropy

  bool right() const { return prediction == label; }
  // True if the outputs were finite, so that there is a prediction.
  bool finite() const { return prediction >= 0; }
};

// Results of an evaluation, per sample.
struct Evaluation {
  std::vector<Outcome> outcomes; // in the dataset's order
  // All classes that may be predicted, including the data's.
  std::vector<std::string> classes;
  // Number of the network's outputs; 0: classes.size().
  std::int64_t of_classes = 0;
  // path() returns a sample's printable location; picture() its preprocessed
  // image, nullopt if there is none.
  std::function<std::string(std::int64_t sample)> path;
  std::function<std::optional<image::Image>(std::int64_t sample)> picture;
};

// Returns the wrong outcomes, largest loss first, at most `most`; of equal
// losses in the dataset's order.
std::vector<Outcome> mistakes_of(
    const std::vector<Outcome>& outcomes,
    std::size_t most);

} // namespace vitrain::results

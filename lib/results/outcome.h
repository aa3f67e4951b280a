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
  // Position in the dataset.
  std::int64_t sample = 0;
  std::int32_t label = 0;
  // Most probable class, the first of equal ones; -1: none, because an output
  // is NaN or positive infinity.
  std::int32_t prediction = -1;
  float probability = 0; // of the prediction, in [0, 1]
  float loss = 0; // cross entropy

  bool right() const { return prediction == label; }
  // True if there is a prediction. Even so, `loss` can be NaN or infinite.
  bool finite() const { return prediction >= 0; }
};

// Results of an evaluation, per sample.
struct Evaluation {
  std::vector<Outcome> outcomes; // in the dataset's order
  // All classes that may be predicted, including the data's.
  std::vector<std::string> classes;
  // Number of the network's outputs, shown in the summary if larger than the
  // number of classes with samples; 0: not shown.
  std::int64_t of_classes = 0;
  // path() returns a sample's printable location; picture() its preprocessed
  // image, nullopt if it cannot be read.
  std::function<std::string(std::int64_t sample)> path;
  std::function<std::optional<image::Image>(std::int64_t sample)> picture;
};

// Returns the outcomes with a wrong prediction and a finite loss, largest loss
// first, at most `most`; of equal losses in the order of `sample`.
std::vector<Outcome> mistakes_of(
    const std::vector<Outcome>& outcomes,
    std::size_t most);

} // namespace vitrain::results

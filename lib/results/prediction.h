#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::results {

struct ClassScore {
  std::int32_t index = 0; // number of the class
  float probability = 0;

  friend bool operator==(const ClassScore&, const ClassScore&) = default;
};

// Prediction for an image: its most probable classes, or the reason why there
// is none.
struct Prediction {
  std::vector<ClassScore> top; // most probable class first
  std::string problem; // printable; "" if there is none
  // Input of the classifier; empty if not requested, or if there is a problem.
  std::vector<float> features{};

  friend bool operator==(const Prediction&, const Prediction&) = default;
};

// Returns the `most` most probable classes, or all if there are fewer; of equal
// probabilities the lower class number first. Empty if a probability is not
// finite.
std::vector<ClassScore> top_classes(
    std::span<const float> probabilities,
    std::int64_t most);

// Formats predictions as lines of CSV or JSON, each with a newline at its end.
class PredictionLines {
 public:
  // `top`: largest number of classes per image; CSV lines have columns for that
  // many, which are empty if there are fewer.
  PredictionLines(std::vector<std::string> classes, std::int64_t top)
      : classes_(std::move(classes)), top_(top) {}

  // Returns
  // "path,prediction,probability,prediction_2,probability_2,...,problem".
  std::string csv_header() const;
  std::string csv(std::string_view path, const Prediction& prediction) const;
  // Returns {"path": "1.jpg", "top": [{"class": "cat", "index": 3,
  // "probability": 0.98}, ...]} or {"path": "2.jpg", "problem": "..."}.
  std::string json(std::string_view path, const Prediction& prediction) const;

 private:
  std::vector<std::string> classes_;
  std::int64_t top_;
};

} // namespace vitrain::results

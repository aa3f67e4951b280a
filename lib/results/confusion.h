#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "results/outcome.h"

namespace vitrain::results {

// Result of an evaluation for one class.
struct ClassResult {
  std::int64_t count = 0; // samples of the class
  std::int64_t correct = 0; // samples of the class with a right prediction
  // Samples of all classes that were predicted as this class.
  std::int64_t predicted = 0;
  // Most frequent wrong prediction for samples of the class, the lowest class
  // number of equal ones; -1: none.
  std::int32_t confused_with = -1;
  std::int64_t confused = 0; // samples of the class predicted as confused_with

  // Fractions in [0, 1]; 0 if the denominator is 0.
  double accuracy() const; // correct / count, also called recall
  double precision() const; // correct / predicted
  double f1() const; // harmonic mean of accuracy() and precision()
};

// Confusion matrix. Only cells that are not 0 use memory, so that there may be
// many classes. Labels and predictions are class numbers below `classes`: the
// classes of the data and, if the network has more outputs, also the other
// outputs.
class Confusion {
 public:
  using Cells = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

  // Outcomes without a prediction only add to the count of their class.
  Confusion(std::int64_t classes, std::span<const Outcome> outcomes);
  // `cells`: counts by (label, prediction).
  Confusion(std::int64_t classes, Cells cells);

  std::int64_t classes() const { return std::ssize(results_); }
  std::int64_t count() const { return count_; }
  std::int64_t correct() const { return correct_; }
  const std::vector<ClassResult>& results() const { return results_; }
  double accuracy() const; // correct() / count(); 0 without samples
  std::int64_t classes_with_samples() const;
  // Mean of accuracy() over classes that have samples; 0 if none has.
  double mean_accuracy() const;
  // Mean of f1() over classes that have samples or were predicted; 0 without
  // any.
  double macro_f1() const;

  // Number of samples of class `label` that were predicted as `prediction`.
  std::int64_t at(std::int32_t label, std::int32_t prediction) const;
  // Counts that are not 0, by (label, prediction).
  const Cells& cells() const { return cells_; }

  struct Pair {
    std::int32_t label = 0;
    std::int32_t prediction = 0;
    std::int64_t count = 0;
  };
  // Returns the wrong predictions (label != prediction), most frequent first,
  // equal ones by label and prediction; at most `most`.
  std::vector<Pair> most_confused(std::size_t most) const;
  // Returns the classes that have samples, lowest accuracy first, equal ones by
  // number; at most `most`.
  std::vector<std::int32_t> worst_classes(std::size_t most) const;

 private:
  void count_cells();

  std::vector<ClassResult> results_;
  Cells cells_;
  std::int64_t count_ = 0;
  std::int64_t correct_ = 0;
};

} // namespace vitrain::results

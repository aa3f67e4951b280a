#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "results/outcome.h"

namespace vitrain::results {

// How an evaluation went for one class.
struct ClassResult {
  std::int64_t count = 0; // samples of it
  std::int64_t correct = 0; // that were taken for it
  std::int64_t predicted = 0; // samples of all classes that were taken for it
  // Most frequent wrong prediction for its samples; -1: none.
  std::int32_t confused_with = -1;
  std::int64_t confused = 0; // how often

  // Fractions in [0, 1]; 0 for a zero denominator.
  double accuracy() const; // correct of count, also called recall
  double precision() const; // correct of predicted
  double f1() const; // harmonic mean of both
};

// Which class was taken for which count of that prediction. Only what happened
// takes memory, so that there may be many classes. Labels and predictions are
// numbers of `classes` classes: those of the data and, where the network has
// more outputs, these.
class Confusion {
 public:
  using Cells = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

  // Outcomes without a prediction count for their class alone.
  Confusion(std::int64_t classes, std::span<const Outcome> outcomes);
  // How often which (label, prediction) was met.
  Confusion(std::int64_t classes, Cells cells);

  std::int64_t classes() const { return std::ssize(results_); }
  std::int64_t count() const { return count_; }
  std::int64_t correct() const { return correct_; }
  const std::vector<ClassResult>& results() const { return results_; }
  double accuracy() const;
  std::int64_t classes_with_samples() const;
  // The mean of the accuracies of classes that have samples.
  double mean_accuracy() const;
  // The mean of the F1 of classes that have samples or were predicted.
  double macro_f1() const;

  // Samples of class `label` that were taken for `prediction`.
  std::int64_t at(std::int32_t label, std::int32_t prediction) const;
  // All of these that are not 0, by (label, prediction).
  const Cells& cells() const { return cells_; }

  struct Pair {
    std::int32_t label = 0;
    std::int32_t prediction = 0;
    std::int64_t count = 0;
  };
  // Returns at most `most` pairs, the most frequent confusions.
  std::vector<Pair> most_confused(std::size_t most) const;
  // Returns at most `most` classes with samples, the lowest accuracies first.
  std::vector<std::int32_t> worst_classes(std::size_t most) const;

 private:
  void count_cells();

  std::vector<ClassResult> results_;
  Cells cells_;
  std::int64_t count_ = 0;
  std::int64_t correct_ = 0;
};

} // namespace vitrain::results

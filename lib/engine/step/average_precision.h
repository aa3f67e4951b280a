#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"
#include "dist/group/group.h"

namespace vitrain::engine {

// Logits of multi-label samples.
struct Scores {
  std::vector<std::int64_t> samples; // sample numbers, in any order
  std::vector<float> logits; // [samples, classes]

  // Adds the first rows of a batch's outputs, [N, classes] of any dtype;
  // `rows`: their sample numbers.
  void add(const at::Tensor& outputs, std::span<const std::int64_t> rows);
  // Appends other scores.
  void add(const Scores& other);
};

// Returns the scores of all workers, in the order of ranks. Collective.
Scores gather_scores(dist::Group& group, const Scores& own);

// Returns the average precision of one class: the sum over descending
// thresholds of precision times the increase of recall. Equal scores are one
// threshold; NaN counts as the lowest score. Equal to scikit-learn's
// average_precision_score; 0 without positive samples.
double average_precision(
    std::span<const float> scores,
    const std::vector<bool>& positive);

// Returns the average precision of each of the `classes` columns of the logits,
// in [0, 1]. A sample is positive for the classes in its label set in `index`.
std::vector<double> average_precisions(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes);

// Returns the mean of average_precisions(), as scikit-learn and torchmetrics do
// with average `macro`: classes without positive samples count as 0.
double mean_average_precision(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes);

} // namespace vitrain::engine

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"
#include "dist/group/group.h"

namespace vitrain::engine {

// Logits of samples with lists of labels.
struct Scores {
  std::vector<std::int64_t> samples;
  std::vector<float> logits; // [samples, classes]

  // Adds the first rows of a batch, [N, classes] of any dtype.
  void add(const at::Tensor& outputs, std::span<const std::int64_t> rows);
  // Adds what has been found elsewhere.
  void add(const Scores& other);
};

// Those of all workers. Collective.
Scores gather_scores(dist::Group& group, const Scores& own);

// The average precision of one class: the sum over falling thresholds of its
// precision times what each adds to its recall. Equal scores are one threshold.
// scikit-learn's average_precision_score, which is 0 where no sample is
// positive.
double average_precision(
    std::span<const float> scores,
    const std::vector<bool>& positive);

// Of each class, from 0 to 1. The order of the samples does not matter.
std::vector<double> average_precisions(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes);

// The mean over the classes: scikit-learn's and torchmetrics' with average
// `macro`.
double mean_average_precision(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes);

} // namespace vitrain::engine

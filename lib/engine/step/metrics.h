#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"
#include "dist/group/collectives.h"
#include "options/metric.h"

namespace vitrain::engine {

// Returns, for example, "top1 56.25 %" or "loss 1.2345". `value`: as from
// EvalCounts::value().
std::string metric_text(const MetricInfo& metric, double value);

// Returns the rank of each label among its row's logits: the number of larger
// logits plus the number of equal logits with a lower class index (0: the
// prediction is correct). A label whose logit is NaN ranks last. logits [N, C],
// labels [N] int64 -> [N] int64.
at::Tensor label_ranks(const at::Tensor& logits, const at::Tensor& labels);

// Counts of an evaluation. They are integers (except `map`), so that sums over
// batches and workers are exact in any order.
struct EvalCounts {
  std::int64_t count = 0;
  // Numbers of samples whose label has one of the 1 or 5 largest logits; both 0
  // without classes and for multi-label data. With fewer than 5 classes
  // correct5 equals `count`.
  std::int64_t correct1 = 0;
  std::int64_t correct5 = 0;
  // eval.real_labels: number of samples with labels, and of those predicted
  // correctly.
  std::int64_t real_count = 0;
  std::int64_t real_correct = 0;
  // Mean average precision in [0, 1] over all workers; set by Evaluator for
  // multi-label data, otherwise 0.
  double map = 0.0;
  // Samples whose loss is NaN, infinite or at least 2^31.
  std::int64_t non_finite = 0;
  std::int64_t clipped = 0; // images whose values were clipped
  // Sum of llround(loss x 2^32) over the samples that are not in non_finite, as
  // two words so that no dataset overflows it: loss_high x 2^32 + loss_low.
  std::int64_t loss_high = 0;
  std::int64_t loss_low = 0;

  // Adds the predictions of a batch whose first rows are `samples`, compared
  // with their label sets in `index` (eval.real_labels). As in
  // EvalTally::add(), the first of equal logits is the prediction; a row with a
  // NaN counts as wrong. Waits for the device.
  void add_real(
      const at::Tensor& logits,
      const data::Index& index,
      std::span<const std::int64_t> samples);
  // Adds samples of which only the losses are known, [N] fp32.
  void add_losses(const at::Tensor& losses);
  // Adds other counts, except `map`.
  void add(const EvalCounts& other);
  // Returns the sum over the workers, except `map`. Collective.
  EvalCounts reduced(dist::Group& group) const;

  // Returns the metric: accuracies and mean average precision in percent, 0
  // without samples; the loss as the mean over the samples, NaN if there are
  // none or `non_finite` is above 0.
  double value(Metric metric) const;

 private:
  double mean_loss() const;
};

// Accumulates counts on the device; synchronises once, when they are read.
class EvalTally {
 public:
  // Adds the first `rows` rows of a batch; logits [N, C] of any dtype, labels
  // [N] int64.
  void
  add(const at::Tensor& logits, const at::Tensor& labels, std::int64_t rows);
  // Adds samples of which only the losses are known, [N] fp32.
  void add_losses(const at::Tensor& losses);
  // Returns the counts of all samples. Waits for the device.
  EvalCounts counts() const;

 private:
  std::vector<at::Tensor> losses_; // [rows] fp32, of each batch
  // [rows] fp32, of each batch; empty without classes.
  std::vector<at::Tensor> ranks_;
};

} // namespace vitrain::engine

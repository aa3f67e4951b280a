#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "engine/device/session.h"
#include "engine/eval/evaluator.h"
#include "results/outcome.h"

namespace vitrain::engine {

// Accumulates per-sample outcomes on the device; synchronises once, when read.
class OutcomeTally {
 public:
  // Adds a batch. logits: [N, C] of any dtype; labels: [N] int64; the first
  // rows belong to `samples`, the others are ignored.
  void add(
      const at::Tensor& logits,
      const at::Tensor& labels,
      std::span<const std::int64_t> samples);
  // Returns the outcomes in the order in which samples were added. Waits for
  // the device.
  std::vector<results::Outcome> outcomes() const;

 private:
  std::vector<std::int64_t> samples_;
  std::vector<at::Tensor> numbers_; // per batch: [4, rows] fp32
};

// Returns the outcomes of all workers, in the dataset's order. Collective.
std::vector<results::Outcome> gather_outcomes(
    dist::Group& group,
    const std::vector<results::Outcome>& own);

// Rank 0: writes the folder evaluation/ in the run folder
// (results/evaluation_files.h), unless an evaluation without training has
// log.jsonl, log.csv and log.tensorboard off. If `tells`, prints a summary in
// any case. Only warns of an Error(kStorage) while writing; throws as
// Observer::hold() does. Does nothing on other ranks or if `found` is empty.
void record_evaluation(
    const Session& session,
    const Evaluator& evaluator,
    SampleResults found,
    bool tells);

} // namespace vitrain::engine

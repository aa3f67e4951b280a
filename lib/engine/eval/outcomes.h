#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "engine/eval/evaluator.h"
#include "engine/run/session.h"
#include "results/outcome.h"

namespace vitrain::engine {

// What batches say of each of their samples, which stays on the device until it
// is asked for: nobody waits meanwhile.
class OutcomeTally {
 public:
  // logits [N, C] of any dtype, of which the first rows are those of `samples`,
  // and their labels.
  void add(
      const at::Tensor& logits,
      const at::Tensor& labels,
      std::span<const std::int64_t> samples);
  // Of all of them, in their order. Waits for the device, once.
  std::vector<results::Outcome> outcomes() const;

 private:
  std::vector<std::int64_t> samples_;
  std::vector<at::Tensor> numbers_; // [4, rows] fp32, of each batch
};

// Those of all workers, in the dataset's order. Collective.
std::vector<results::Outcome> gather_outcomes(
    dist::Group& group,
    const std::vector<results::Outcome>& own);

// Rank 0: writes evaluation/ in the run folder
// (results/files/evaluation_files.h), and with `tells` says what is most worth
// knowing of it. Storage that fails is a warning.
void record_evaluation(
    const Session& session,
    const Evaluator& evaluator,
    SampleResults found,
    bool tells);

} // namespace vitrain::engine

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

// What a batch says of each of its samples: logits [N, C] of any dtype, of
// which the first rows are those of `samples`, and their labels.
std::vector<results::Outcome> outcomes_of(
    const at::Tensor& logits,
    const at::Tensor& labels,
    std::span<const std::int64_t> samples);

// Those of all workers, in the dataset's order. Collective.
std::vector<results::Outcome> gather_outcomes(
    dist::Group& group,
    const std::vector<results::Outcome>& own);

// Rank 0: writes evaluation/ in the run folder (results/evaluation_files.h),
// and with `tells` says what is most worth knowing of it. Storage that fails is
// a warning.
void record_evaluation(
    const Session& session,
    const Evaluator& evaluator,
    std::vector<results::Outcome> outcomes,
    bool tells);

} // namespace vitrain::engine

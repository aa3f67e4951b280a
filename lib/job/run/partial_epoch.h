#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/manifest.h"
#include "config/rules/timeline.h"
#include "core/json.h"
#include "data/load/samplers.h"

// Checkpoint records of a partial epoch.
namespace vitrain::job {

// Returns the checkpoint record of a partial epoch: its batch geometry, and the
// index in it of the next step, `step`.
Json order_record(
    const data::Samplers& samplers,
    const config::Timeline& timeline,
    std::int64_t step);

// Returns the partial epoch of a checkpoint, from its order_record(). Without
// that record, computes it from the recorded workers, assuming `accumulate`
// micro-batches per worker and step; nullopt if the numbers do not fit. Throws
// Error(kWeights) for an unreadable record, Error(kUsage) if the steps of the
// partial epoch belong to different epochs in this run.
std::optional<data::PartialEpoch> partial_epoch(
    const checkpoint::Manifest& manifest,
    const config::Timeline& timeline,
    std::int64_t accumulate);

} // namespace vitrain::job

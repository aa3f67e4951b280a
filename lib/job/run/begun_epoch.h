#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/manifest.h"
#include "config/rules/timeline.h"
#include "core/text/json.h"
#include "data/order/samplers.h"

// Checkpoint records of a partial epoch.
namespace vitrain::job {

// Returns the record of a checkpoint: the geometry of the epoch of `step`, the
// next step, and its number in it.
Json order_record(
    const data::Samplers& samplers,
    const config::Timeline& timeline,
    std::int64_t step);

// Returns the partial epoch of a checkpoint. For a checkpoint without such a
// record it is computed from the recorded workers and `accumulate`
// micro-batches each; nullopt if these do not fit. Throws Error(kWeights) for
// an unreadable record, Error(kUsage) if its steps belong to other epochs in
// this run.
std::optional<data::BegunEpoch> begun_epoch(
    const checkpoint::Manifest& manifest,
    const config::Timeline& timeline,
    std::int64_t accumulate);

} // namespace vitrain::job

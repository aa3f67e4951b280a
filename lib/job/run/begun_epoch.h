#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/manifest.h"
#include "core/json.h"
#include "data/order/sampler.h"

// The order that an epoch goes on in, in checkpoints.
namespace vitrain::job {

// What a checkpoint after `step` records: the geometry of the epoch that the
// next step is in.
Json order_record(const data::Sampler& sampler, std::int64_t step);

// What a run that continues from a checkpoint was doing. One that was written
// before there were such records had the workers that it names, `accumulate`
// micro-batches each; nothing where that cannot be. Throws Error(kWeights) for
// a record that cannot be read.
std::optional<data::BegunEpoch> begun_epoch(
    const checkpoint::Manifest& manifest,
    std::int64_t accumulate);

} // namespace vitrain::job

#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/manifest.h"
#include "config/rules/timeline.h"
#include "core/text/json.h"
#include "data/order/samplers.h"

// The order that an epoch goes on in, in checkpoints.
namespace vitrain::job {

// What a checkpoint records: the geometry of the epoch which `step`, the next
// one, is in, and its number there.
Json order_record(
    const data::Samplers& samplers,
    const config::Timeline& timeline,
    std::int64_t step);

// What a run that continues from a checkpoint was doing. One that was written
// before there were such records had the workers that it names, `accumulate`
// micro-batches each; nothing where that cannot be. Throws Error(kWeights) for
// a record that cannot be read, Error(kUsage) where its steps are other epochs
// than here.
std::optional<data::BegunEpoch> begun_epoch(
    const checkpoint::Manifest& manifest,
    const config::Timeline& timeline,
    std::int64_t accumulate);

} // namespace vitrain::job

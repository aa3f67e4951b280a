#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "options/sampler.h"

namespace vitrain::data {

struct SamplerOptions {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;
  // kTorch, kShardThenShuffle: samples that do not make equal shares are
  // dropped (true) or the shares are filled from the first ones (false), before
  // there are batches; nothing: as last_batch does.
  std::optional<bool> drop_tail;
  bool drops_tail() const {
    return drop_tail.value_or(last_batch == LastBatch::kDrop);
  }
  // kRepeated: uses of a sample, at least 1, and the number that the samples of
  // an epoch are rounded down to a multiple of, where there are so many; 0: no
  // rounding.
  double repeats = 3.0;
  std::int64_t round = 256;
  // kWeighted: one weight per sample, not negative, not all zero.
  std::vector<double> weights;
};

// Global batch G = per_device * world * accumulate; all at least 1.
struct BatchGeometry {
  std::int64_t per_device = 1;
  int world = 1;
  int accumulate = 1;

  std::int64_t micro_batches() const {
    return static_cast<std::int64_t>(world) * accumulate;
  }
  std::int64_t global() const { return per_device * micro_batches(); }
};

} // namespace vitrain::data

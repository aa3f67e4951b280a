#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vitrain::data {

// n samples, W workers, B samples per device, A accumulated micro-batches.
//
// kGlobal: one keyed permutation of the samples per (seed, epoch), dealt to the
//   workers step by step. kSequential: the same with the dataset's own order.
// kWeighted: n draws with replacement per (seed, epoch), the probability of a
//   sample proportional to its weight; dealt as kGlobal.
// kShardThenShuffle: worker r owns block r of ceil(n / W) consecutive samples
//   (the last one filled up from the first samples), or of floor(n / W) when
//   the tail is dropped, for the whole run, permuted by (seed, epoch, r).
// kTorch: torch.utils.data.DistributedSampler, index for index.
// kPaddle: paddle.io.DistributedBatchSampler, index for index. Its seed is the
//   epoch alone.
// kRepeated: RASampler of DeiT (samplers.py) and RepeatAugSampler of timm
//   (timm/data/distributed_sampler.py), index for index. Their seed is the
//   epoch alone, too.
enum class SamplerPolicy {
  kGlobal,
  kSequential,
  kWeighted,
  kShardThenShuffle,
  kTorch,
  kPaddle,
  kRepeated,
};

// What happens to the samples at the end of an epoch that do not fill a step.
enum class LastBatch { kDrop, kKeep, kPad };

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

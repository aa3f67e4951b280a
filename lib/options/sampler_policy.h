#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Order of the samples in an epoch, and their division among the workers.
// Below: n samples, W workers.
//
//   kGlobal: one keyed permutation of the samples per (seed, epoch), dealt to
//     the workers step by step;
//   kSequential: the same with the dataset's own order;
//   kWeighted: n draws with replacement per (seed, epoch), where the
//     probability of a sample is proportional to its weight; dealt as in
//     kGlobal;
//   kShardThenShuffle: worker r owns block r for the whole run and permutes it
//     by (seed, epoch, r). Blocks have ceil(n / W) consecutive samples (the
//     last one is filled up with the first samples), or floor(n / W) with
//     drop_tail;
//   kTorch: torch.utils.data.DistributedSampler, index for index;
//   kPaddle: paddle.io.DistributedBatchSampler, index for index. Its seed is
//     only the epoch;
//   kRepeated: RASampler of DeiT (samplers.py) and RepeatAugSampler of timm
//     (timm/data/distributed_sampler.py), index for index. Their seed is only
//     the epoch.
enum class SamplerPolicy {
  kGlobal,
  kTorch,
  kPaddle,
  kShardThenShuffle,
  kSequential,
  kRepeated,
  kWeighted,
};
constexpr auto names_of(SamplerPolicy) {
  using enum SamplerPolicy;
  return enum_names<SamplerPolicy>(
      {{kGlobal, "global"},
       {kTorch, "torch"},
       {kPaddle, "paddle"},
       {kShardThenShuffle, "shard_then_shuffle"},
       {kSequential, "sequential"},
       {kRepeated, "repeated"},
       {kWeighted, "weighted"}});
}

// Treatment of the samples at the end of an epoch that do not fill a step.
// kDrop: they are dropped. kKeep: they make a smaller step. kPad: the step is
// filled up with samples from the start of the epoch. kMicro: whole
// micro-batches of every worker are kept, and the rest is dropped, as timm's
// train.py does when it accumulates gradients.
enum class LastBatch { kDrop, kKeep, kPad, kMicro };
constexpr auto names_of(LastBatch) {
  using enum LastBatch;
  return enum_names<LastBatch>(
      {{kDrop, "drop"}, {kKeep, "keep"}, {kPad, "pad"}, {kMicro, "micro"}});
}

} // namespace vitrain

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "options/sampler_policy.h"

namespace vitrain::config {

// Order of the samples (docs/guide/data.md has the definitions).
struct SamplerConfig {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::optional<bool> drop_tail;
  double repeats = 3.0;
  std::int64_t round = 256;
  std::string weights = "balanced";

  template <typename Visitor>
  void visit(Visitor& v) {
    using enum SamplerPolicy;
    v.field(
        "policy",
        policy,
        "`global`: one permutation of the dataset per epoch, dealt to the "
        "workers; `sequential`: the dataset's own order; `torch`, `paddle`: "
        "the indices of DistributedSampler and DistributedBatchSampler; "
        "`shard_then_shuffle`: each worker keeps its own block of the dataset "
        "for the whole run; `repeated`: repeated augmentation, the indices of "
        "DeiT's RASampler; `weighted`: draws with replacement.");
    v.field(
         "shuffle",
         shuffle,
         "false: the samples stay in the dataset's own order. Not for "
         "`weighted`.")
        .needs(
            "a data.sampler.policy other than sequential and weighted",
            [this] { return policy != kSequential && policy != kWeighted; });
    v.field(
        "last_batch",
        last_batch,
        "Samples that do not fill a global batch at the end of an epoch: "
        "`drop` them, `keep` a smaller batch (its gradient is the mean over "
        "its samples), `pad` it with samples from the start of the epoch, or "
        "keep the samples that fill a `micro`-batch on every worker, if "
        "train.accumulate is more than 1.");
    v.field(
         "drop_tail",
         drop_tail,
         "`torch`, `shard_then_shuffle`: before there are batches, samples "
         "that do not make equal shares of the workers are dropped (true, "
         "DistributedSampler's own drop_last), or shares are filled from the "
         "first samples (false); `auto`: true with last_batch: drop.")
        .auto_value()
        .needs("data.sampler.policy", policy, kTorch, kShardThenShuffle);
    v.field("repeats", repeats, "`repeated`: uses of a sample in an epoch.")
        .at_least(1.0)
        .at_most(1000.0)
        .needs("data.sampler.policy", policy, kRepeated);
    v.field(
         "round",
         round,
         "`repeated`: the samples of an epoch are rounded down to a multiple "
         "of this, if there are more; 0: not rounded.")
        .in_range(0, 1 << 30)
        .needs("data.sampler.policy", policy, kRepeated);
    v.field(
         "weights",
         weights,
         "`weighted`: `balanced` (every class is drawn equally often), or a "
         "text file with one number per line, for each class or for each "
         "sample.")
        .not_empty()
        .needs("data.sampler.policy", policy, kWeighted);
  }
};

} // namespace vitrain::config

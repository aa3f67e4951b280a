#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Wire format of gradients: uncompressed, rounded to 16 bits (and summed in 16
// bits), low-rank approximations, or only the largest entries.
enum class Compress { kNone, kBf16, kFp16, kPowerSgd, kTopK };
constexpr auto names_of(Compress) {
  using enum Compress;
  return enum_names<Compress>(
      {{kNone, "none"},
       {kBf16, "bf16"},
       {kFp16, "fp16"},
       {kPowerSgd, "powersgd"},
       {kTopK, "topk"}});
}
// Returns true if the part of a gradient that is not sent in a step is kept and
// added in later steps (error feedback).
constexpr bool keeps_errors(Compress compress) {
  return compress == Compress::kPowerSgd || compress == Compress::kTopK;
}

// Treatment of gradients that are staler than dist.sync.max_staleness. kWait:
// workers wait, so that there are none; kDrop: they are dropped.
enum class OnStale { kWait, kDrop };
constexpr auto names_of(OnStale) {
  using enum OnStale;
  return enum_names<OnStale>({{kWait, "wait"}, {kDrop, "drop"}});
}

} // namespace vitrain

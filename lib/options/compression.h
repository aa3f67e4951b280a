#pragma once

#include "core/text/enum_names.h"

namespace vitrain {

// In what gradients travel: as they are, rounded to 16 bits and summed so, as
// approximations of low rank, or their largest entries alone.
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
// Whether what does not travel in a step is kept for the next ones.
constexpr bool keeps_errors(Compress compress) {
  return compress == Compress::kPowerSgd || compress == Compress::kTopK;
}

// Treatment of gradients that are too stale.
enum class OnStale { kWait, kDrop };
constexpr auto names_of(OnStale) {
  using enum OnStale;
  return enum_names<OnStale>({{kWait, "wait"}, {kDrop, "drop"}});
}

} // namespace vitrain

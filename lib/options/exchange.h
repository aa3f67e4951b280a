#pragma once

namespace vitrain {

// In what gradients travel: as they are, rounded to 16 bits and summed so, or
// as approximations of low rank.
enum class Compress { kNone, kBf16, kFp16, kPowerSgd };

// What becomes of a gradient that would be too old.
enum class OnStale { kWait, kDrop };

} // namespace vitrain

#pragma once

namespace vitrain {

// For which samples mixup and CutMix are drawn (timm's Mixup): one draw for the
// batch, one for each pair of rows, or one for each row.
enum class MixMode { kBatch, kPair, kElem };

} // namespace vitrain

#pragma once

#include "core/text/enum_names.h"

namespace vitrain {

// For which samples mixup and CutMix are drawn (timm's Mixup): one draw for the
// batch, one for each pair of rows, or one for each row.
enum class MixMode { kBatch, kPair, kElem };
constexpr auto names_of(MixMode) {
  using enum MixMode;
  return enum_names<MixMode>(
      {{kBatch, "batch"}, {kPair, "pair"}, {kElem, "elem"}});
}

} // namespace vitrain

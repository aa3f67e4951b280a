#pragma once

#include "core/enum_names.h"

namespace vitrain {

// How often mixup and CutMix are sampled (timm's Mixup): once per batch, once
// per pair of rows, or once per row.
enum class MixMode { kBatch, kPair, kElem };
constexpr auto names_of(MixMode) {
  using enum MixMode;
  return enum_names<MixMode>(
      {{kBatch, "batch"}, {kPair, "pair"}, {kElem, "elem"}});
}

} // namespace vitrain

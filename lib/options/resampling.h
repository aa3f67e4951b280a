#pragma once

#include "core/text/enum_names.h"

namespace vitrain {

// How position embeddings and tables of relative positions are brought to
// another grid: as which program does it.
//   kTimm: embeddings bicubic with antialias, or as the family says
//     (models::Family::resampling); tables linear between distances that grow
//     geometrically (BEiT's way, timm/layers/pos_embed_rel.py);
//   kDeit: bicubic, both (DeiT's, Swin's authors and mmpretrain);
//   kPaddleVit: the same;
//   kTimmNpz: bilinear, as timm reads .npz files of JAX;
//   kBigVision: bilinear with the corners in place (scipy's zoom of order 1).
enum class Resampling { kTimm, kDeit, kPaddleVit, kTimmNpz, kBigVision };
constexpr auto names_of(Resampling) {
  using enum Resampling;
  return enum_names<Resampling>(
      {{kTimm, "timm"},
       {kDeit, "deit"},
       {kPaddleVit, "paddlevit"},
       {kTimmNpz, "timm_npz"},
       {kBigVision, "big_vision"}});
}

} // namespace vitrain

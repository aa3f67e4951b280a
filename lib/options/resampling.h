#pragma once

#include "core/enum_names.h"

namespace vitrain {

// How position embeddings and tables of relative positions are resized to
// another grid; each value names the program whose method is used.
//   kTimm: embeddings bicubic with antialias, or as the family specifies
//     (models::Family::resampling); tables linear between distances that grow
//     geometrically (BEiT's way, timm/layers/pos_embed_rel.py);
//   kDeit: both bicubic without antialias (DeiT's, Swin's authors and
//     mmpretrain);
//   kPaddleVit: as kDeit;
//   kTimmNpz: both bilinear, as timm reads .npz files of JAX;
//   kBigVision: both bilinear with aligned corners (scipy's zoom of order 1).
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

#pragma once

#include <string>

#include "weights/archive.h"

namespace vitrain::weights {

// Names of these tensors in a program.
struct DinoNames {
  std::string positions = "pos_embed";
  std::string token = "cls_token";
  std::string registers = "register_tokens";
};

// DINOv2's networks with registers: the position of the class token, the first
// of all positions, becomes a part of that token, since timm's have positions
// for patches alone (_convert_dinov2 in its vision_transformer.py). Others stay
// as they are. Throws Error(kWeights) where the shapes or types do not allow
// it.
void add_class_position(Archive& archive, const DinoNames& names);

} // namespace vitrain::weights

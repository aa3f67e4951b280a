#pragma once

#include <string>

#include "weights/archive.h"

namespace vitrain::weights {

// Names that a program uses for these tensors.
struct DinoNames {
  std::string positions = "pos_embed";
  std::string token = "cls_token";
  std::string registers = "register_tokens";
};

// For DINOv2's networks with registers: adds the position of the class token
// (the first position) to the token itself, because timm's networks have
// positions for patches only (_convert_dinov2 in its vision_transformer.py).
// Leaves other networks unchanged. Throws Error(kWeights) for unsuitable shapes
// or types.
void add_class_position(Archive& archive, const DinoNames& names);

} // namespace vitrain::weights

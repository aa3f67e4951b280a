#pragma once

#include <string>

#include "weights/archive.h"

namespace vitrain::weights {

// Names of a DINOv2's tensors in a file. Defaults: the authors'.
struct DinoNames {
  std::string positions = "pos_embed";
  std::string token = "cls_token";
  std::string registers = "register_tokens";
};

// For DINOv2's networks with registers: adds the position of the class token
// (the first position) to the token itself and removes it from the positions,
// because timm's networks have positions for patches only (_convert_dinov2 in
// its vision_transformer.py). Leaves other networks unchanged. Throws
// Error(kWeights) for unsuitable shapes or types.
void add_class_position(Archive& archive, const DinoNames& names);

} // namespace vitrain::weights

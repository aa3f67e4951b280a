#pragma once

#include "weights/archive.h"

namespace vitrain::weights {

// DINOv2's networks with registers: the position of the class token, the first
// of "pos_embed", becomes a part of "cls_token", since timm's have positions
// for patches alone (_convert_dinov2 in its vision_transformer.py). Others stay
// as they are. Throws Error(kWeights) where the shapes or types do not allow
// it.
void add_class_position(Archive& archive);

} // namespace vitrain::weights

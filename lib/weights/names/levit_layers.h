#pragma once

#include "weights/archive.h"

// Some programs number all layers of a LeViT consecutively, including
// downsampling attention, which only its tensor names reveal. The functions
// below rename layers to timm's `stages.S.blocks.I` and `stages.S.downsample`,
// for any depths; the rest of each name stays.
namespace vitrain::weights {

// Renames from `blocks.N`, numbered over all stages.
void number_paddlevit_levit(Archive& archive);

// Renames from `encoder.stages.S.layers.N`, with optional prefix `levit.`:
// attention and MLP alternate, downsampling comes last.
void number_transformers_levit(Archive& archive);

} // namespace vitrain::weights

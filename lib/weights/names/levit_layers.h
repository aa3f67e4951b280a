#pragma once

#include "weights/archive.h"

// Some programs number all layers of a LeViT consecutively, including
// downsampling attention, which can only be recognised by its tensor names. The
// functions below rename layers to timm's `stages.S.blocks.I` and
// `stages.S.downsample`, for any depths; the rest of each name is kept.
namespace vitrain::weights {

// Renames `blocks.N`; N counts the layers of all stages, also downsamplings.
void number_paddlevit_levit(Archive& archive);

// Renames `encoder.stages.S.layers.N`, with an optional prefix `levit.`:
// attention and MLP alternate, downsampling is last.
void number_transformers_levit(Archive& archive);

} // namespace vitrain::weights

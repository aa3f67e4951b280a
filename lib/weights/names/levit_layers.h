#pragma once

#include "weights/archive.h"

// Programs that number the layers of a LeViT through, attention that makes the
// image smaller among the others: what is one shows in its names alone. Below,
// its layers become `stages.S.blocks.I` and `stages.S.downsample`, as in timm,
// whatever the depths; the rest of each name stays.
namespace vitrain::weights {

// From `blocks.N`, over all stages.
void number_paddlevit_levit(Archive& archive);

// From `encoder.stages.S.layers.N`, with or without `levit.` in front:
// attention and MLP in turns, and those that make the image smaller last.
void number_transformers_levit(Archive& archive);

} // namespace vitrain::weights

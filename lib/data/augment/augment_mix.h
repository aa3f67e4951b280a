#pragma once

#include <functional>
#include <span>

#include "core/random.h"
#include "data/augment/augment_op.h"
#include "options/auto_augment.h"

namespace vitrain::data {

// One operation of a chain, in place.
using ChainStep = std::function<void(const image::Canvas& chain)>;

// AugMix (Hendrycks et al., ICLR 2020): an image is mixed with a mixture of
// chains of operations on it. timm and torchvision differ in when values are
// rounded.
struct ChainMix {
  const AutoAugment& options; // its width, depth, alpha and blended
  image::Canvas canvas; // the image, in place
  Random& random;
  AugmentScratch& scratch;
  const ChainStep& step;
};

// timm: the mixture is rounded down to 8 bits and blended with the image; its
// b1 (blended): each chain is blended into the image, rounded down every time.
void mix_as_timm(const ChainMix& mix);
// Blends chains with the given weights; `share`: part of the mixed image in the
// result.
void blend_as_timm(
    const ChainMix& mix,
    std::span<const float> weights,
    float share);
// torchvision: one weighted sum, rounded down once.
void mix_as_torchvision(const ChainMix& mix);

} // namespace vitrain::data

#pragma once

#include <functional>
#include <span>

#include "core/random.h"
#include "data/augment/augment_op.h"
#include "options/auto_augment.h"

namespace vitrain::data {

// Applies one random operation to the pixels of a chain, in place.
using ChainStep = std::function<void(const image::Canvas& chain)>;

// Arguments of AugMix (Hendrycks et al., ICLR 2020), which mixes an image with
// a weighted sum of chains of operations on it. The implementations of timm and
// torchvision round at different points.
struct ChainMix {
  const AutoAugment& options; // uses width, depth, alpha and blended
  image::Canvas canvas; // the image; changed in place
  Random& random;
  AugmentScratch& scratch;
  const ChainStep& step;
};

// AugMix of timm. Rounds the sum of the chains down to 8 bits and blends it
// with the image; with `blended` (timm's option b1) blends each chain into the
// image one by one and rounds down each time.
void mix_as_timm(const ChainMix& mix);
// Blends chains with the given weights into the image one by one, as timm does.
// `weights` sum to 1; `share`: weight of all chains together in the result.
void blend_as_timm(
    const ChainMix& mix,
    std::span<const float> weights,
    float share);
// AugMix of torchvision: one weighted sum, rounded down once.
void mix_as_torchvision(const ChainMix& mix);

} // namespace vitrain::data

#pragma once

#include <functional>
#include <span>

#include "core/random.h"
#include "data/augment/augment_op.h"

namespace vitrain::data {

// AugMix (Hendrycks et al., ICLR 2020): an image is mixed with a mixture of
// chains of operations on it. timm and torchvision differ in when values are
// rounded.
struct ChainOptions {
  std::int64_t width = 3; // chains
  std::int64_t depth =
      0; // operations of a chain; 0: one to three, drawn for each
  double alpha = 1; // of the weights' Dirichlet and beta laws
};

// One operation of a chain, in place.
using ChainStep = std::function<void(const image::Canvas& chain)>;

// timm: the mixture is rounded down to 8 bits and blended with the image.
void mix_as_timm(
    const ChainOptions& options,
    const image::Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step);
// timm's b1: each chain is blended into the image, rounded down every time.
void mix_as_timm_blended(
    const ChainOptions& options,
    const image::Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step);
// What it does with given weights of the chains, of which `share` is mixed in.
void blend_as_timm(
    const ChainOptions& options,
    std::span<const float> weights,
    float share,
    const image::Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step);
// torchvision: one weighted sum, rounded down once.
void mix_as_torchvision(
    const ChainOptions& options,
    const image::Canvas& canvas,
    Random& random,
    AugmentScratch& scratch,
    const ChainStep& step);

} // namespace vitrain::data

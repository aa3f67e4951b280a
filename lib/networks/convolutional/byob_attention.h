#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/convolutional/byob.h"

namespace vitrain::networks {

// Attention of pixels to pixels: [N, C, H, W] to [N, C, H / stride, W /
// stride].
class PixelAttention : public torch::nn::Module {
 public:
  virtual at::Tensor operator()(const at::Tensor& x) = 0;
  // Draws the weights anew, as timm does behind those of the block's layers.
  virtual void start(const at::Generator& generator) = 0;
};

// As `block` has it: within blocks and halos, or over all pixels, of which
// there are `size`.
std::shared_ptr<PixelAttention> make_pixel_attention(
    const models::ByobBlocks& block,
    std::int64_t channels,
    std::int64_t stride,
    const ImageSize& size,
    const at::Generator& generator);

} // namespace vitrain::networks

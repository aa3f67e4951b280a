#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/byob.h"

namespace vitrain::networks {

// Self-attention of pixels: [N, C, H, W] -> [N, C, H / stride, W / stride].
class PixelAttention : public torch::nn::Module {
 public:
  virtual at::Tensor operator()(const at::Tensor& x) = 0;
  // Samples the weights again; timm does so after the block's layers.
  virtual void init_weights(const at::Generator& generator) = 0;
};

// Returns the attention of `block` with `channels` inputs and outputs: within
// blocks and halos, or, if block.block is 0, over all pixels of an input of
// `size`.
std::shared_ptr<PixelAttention> make_pixel_attention(
    const models::ByobBlocks& block,
    std::int64_t channels,
    std::int64_t stride,
    const ImageSize& size,
    const at::Generator& generator);

} // namespace vitrain::networks

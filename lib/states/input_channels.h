#pragma once

#include <ATen/core/Tensor.h>

namespace vitrain::states {

// Adapts the weights [O, 3, K, K] of a convolution for colour images to another
// number of channels: fp32 [O, channels, K, K], as timm's adapt_input_conv. For
// one channel: the sum over the colours, so that the response to grey images is
// unchanged. For other numbers: red, green, blue, red, ... times 3 / channels.
at::Tensor for_channels(const at::Tensor& weights, std::int64_t channels);

} // namespace vitrain::states

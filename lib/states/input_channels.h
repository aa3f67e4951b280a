#pragma once

#include <ATen/core/Tensor.h>

namespace vitrain::states {

// The weights [O, 3, K, K] of a convolution of colours for images of so many
// channels, fp32 [O, channels, K, K], as timm's adapt_input_conv: of grey
// images their sum over the colours, so that the response to grey stays what it
// was; of other channels red, green, blue, red and so on, times 3 / channels.
at::Tensor for_channels(const at::Tensor& weights, std::int64_t channels);

} // namespace vitrain::states

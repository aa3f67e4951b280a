#include "networks/layers/class_attention.h"

#include <ATen/ATen.h>

namespace vitrain::networks {

ClassAttention::ClassAttention(
    std::int64_t width,
    std::int64_t heads,
    const at::Generator& generator)
    : heads_(heads),
      q_(add_layer<Linear>(*this, "q", width, width, generator)),
      k_(add_layer<Linear>(*this, "k", width, width, generator)),
      v_(add_layer<Linear>(*this, "v", width, width, generator)),
      proj_(add_layer<Linear>(*this, "proj", width, width, generator)) {}

at::Tensor ClassAttention::operator()(const at::Tensor& x) const {
  const std::int64_t width = x.size(2);
  const auto by_head = [&](const at::Tensor& tokens) {
    return tokens.view({x.size(0), -1, heads_, width / heads_}).transpose(1, 2);
  };
  const at::Tensor seen = attention(
      by_head((*q_)(x.select(1, 0))), by_head((*k_)(x)), by_head((*v_)(x)));
  return (*proj_)(seen.transpose(1, 2).reshape({x.size(0), 1, width}));
}

} // namespace vitrain::networks

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
  const at::Tensor seen = attention(
      split_heads((*q_)(x.select(1, 0)), heads_),
      split_heads((*k_)(x), heads_),
      split_heads((*v_)(x), heads_));
  return (*proj_)(seen.transpose(1, 2).reshape({x.size(0), 1, x.size(2)}));
}

} // namespace vitrain::networks

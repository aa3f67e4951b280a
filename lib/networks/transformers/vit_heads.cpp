#include "networks/transformers/vit_heads.h"

#include <cmath>

#include <ATen/ATen.h>

#include "networks/layers/init.h"

namespace vitrain::networks {
namespace {

constexpr double kDifferenceEps = 1e-5; // of the norm behind it
constexpr double kShareStd = 0.1;

// x [N, heads, T, d] or its norm, in the same type: autocast gives fp32, and
// attention takes one type.
at::Tensor normed(const std::shared_ptr<VitNorm>& norm, const at::Tensor& x) {
  if (!norm) {
    return x;
  }
  const at::Tensor y = (*norm)(x);
  return y.scalar_type() == x.scalar_type() ? y : y.to(x.scalar_type());
}

} // namespace

VitHeads::VitHeads(
    torch::nn::Module& module,
    const models::VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : heads_(spec.num_heads) {
  const std::int64_t width = spec.head_width();
  if (spec.qk_norm) {
    q_norm_ = add_layer<VitNorm>(module, "q_norm", spec, width);
    k_norm_ = add_layer<VitNorm>(module, "k_norm", spec, width);
  }
  if (spec.differential) {
    add_difference(module, number, width, generator);
  }
}

// Of the paper: sections 2.1 and 3.1, the first block having number 0 here.
void VitHeads::add_difference(
    torch::nn::Module& module,
    std::int64_t number,
    std::int64_t width,
    const at::Generator& generator) {
  sub_norm_ = add_layer<VitNorm>(
      module,
      "sub_norm",
      2 * width,
      kDifferenceEps,
      VitNorm::Kind::kRootMeanSquare);
  first_share_ = 0.8 - 0.6 * std::exp(-0.3 * static_cast<double>(number));
  const auto vector = [&](const char* name) {
    at::Tensor values =
        module.register_parameter(name, new_weights({width}, generator));
    normal(values, kShareStd, generator);
    return values;
  };
  lambda_q1_ = vector("lambda_q1");
  lambda_k1_ = vector("lambda_k1");
  lambda_q2_ = vector("lambda_q2");
  lambda_k2_ = vector("lambda_k2");
}

at::Tensor VitHeads::operator()(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const VitDrops& drops) const {
  const std::int64_t heads = sub_norm_ ? 2 * heads_ : heads_;
  const at::Tensor queries = normed(q_norm_, split_heads(query, heads));
  const at::Tensor keys = normed(k_norm_, split_heads(key, heads));
  const at::Tensor values = split_heads(value, heads_);
  const at::Tensor seen = sub_norm_
      ? difference(queries, keys, values, drops)
      : attention_with_dropout(
            queries, keys, values, drops.attention_rate, drops.masks);
  return seen.transpose(1, 2).reshape({-1, query.size(2)});
}

at::Tensor VitHeads::difference(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const VitDrops& drops) const {
  const auto queries = query.unflatten(1, {heads_, 2}).unbind(2);
  const auto keys = key.unflatten(1, {heads_, 2}).unbind(2);
  const auto half = [&](std::size_t number) {
    return attention_with_dropout(
        queries[number],
        keys[number],
        value,
        drops.attention_rate,
        drops.masks);
  };
  const at::Tensor first = half(0);
  return normed(sub_norm_, first - share() * half(1)) * (1.0 - first_share_);
}

at::Tensor VitHeads::share() const {
  const auto term = [](const at::Tensor& q, const at::Tensor& k) {
    return at::exp(at::sum(q * k, /*dim=*/0));
  };
  return term(lambda_q1_, lambda_k1_) - term(lambda_q2_, lambda_k2_) +
      first_share_;
}

} // namespace vitrain::networks

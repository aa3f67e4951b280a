#include "networks/families/vit_attention.h"

#include <array>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

#include "networks/layers/blocks.h"
#include "networks/layers/init.h"

namespace vitrain::networks {
namespace {

using models::VitSpec;

constexpr double kSubNormEps = 1e-5;
constexpr double kLambdaStd = 0.1;

// Normalises x [N, heads, T, d], unless `norm` is null, and keeps its dtype:
// under autocast the norm returns fp32, and attention needs one dtype for all
// its inputs.
at::Tensor normed(const std::shared_ptr<LayerNorm>& norm, const at::Tensor& x) {
  if (!norm) {
    return x;
  }
  const at::Tensor y = (*norm)(x);
  return y.scalar_type() == x.scalar_type() ? y : y.to(x.scalar_type());
}

} // namespace

std::shared_ptr<LayerNorm> add_vit_norm(
    torch::nn::Module& module,
    const char* name,
    const VitSpec& spec,
    std::int64_t width) {
  return add_layer<LayerNorm>(
      module,
      name,
      width,
      spec.norm_eps,
      spec.rms_norm ? NormKind::kRms : NormKind::kLayer);
}

VitHeads::VitHeads(
    torch::nn::Module& module,
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : heads_(spec.num_heads) {
  const std::int64_t width = spec.head_width();
  if (spec.qk_norm) {
    q_norm_ = add_vit_norm(module, "q_norm", spec, width);
    k_norm_ = add_vit_norm(module, "k_norm", spec, width);
  }
  if (spec.differential) {
    add_differential(module, number, width, generator);
  }
}

void VitHeads::add_differential(
    torch::nn::Module& module,
    std::int64_t number,
    std::int64_t width,
    const at::Generator& generator) {
  sub_norm_ = add_layer<LayerNorm>(
      module, "sub_norm", 2 * width, kSubNormEps, NormKind::kRms);
  initial_lambda_ = 0.8 - 0.6 * std::exp(-0.3 * static_cast<double>(number));
  const auto add_vector = [&](const char* name) {
    at::Tensor values =
        module.register_parameter(name, new_weights({width}, generator));
    normal(values, kLambdaStd, generator);
    return values;
  };
  lambda_q1_ = add_vector("lambda_q1");
  lambda_k1_ = add_vector("lambda_k1");
  lambda_q2_ = add_vector("lambda_q2");
  lambda_k2_ = add_vector("lambda_k2");
}

at::Tensor VitHeads::operator()(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const VitDrops& drops) const {
  const std::int64_t heads = sub_norm_ ? 2 * heads_ : heads_;
  const at::Tensor q = normed(q_norm_, split_heads(query, heads));
  const at::Tensor k = normed(k_norm_, split_heads(key, heads));
  const at::Tensor v = split_heads(value, heads_);
  const at::Tensor y = sub_norm_
      ? differential(q, k, v, drops.attention)
      : attention_with_dropout(q, k, v, drops.attention);
  return y.transpose(1, 2).reshape({-1, query.size(2)});
}

at::Tensor VitHeads::differential(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const Dropout& dropout) const {
  const auto q = query.unflatten(1, {heads_, 2}).unbind(2);
  const auto k = key.unflatten(1, {heads_, 2}).unbind(2);
  const at::Tensor first = attention_with_dropout(q[0], k[0], value, dropout);
  const at::Tensor y =
      first - lambda() * attention_with_dropout(q[1], k[1], value, dropout);
  return normed(sub_norm_, y) * (1.0 - initial_lambda_);
}

at::Tensor VitHeads::lambda() const {
  const auto term = [](const at::Tensor& q, const at::Tensor& k) {
    return at::exp(at::sum(q * k, /*dim=*/0));
  };
  return term(lambda_q1_, lambda_k1_) - term(lambda_q2_, lambda_k2_) +
      initial_lambda_;
}

VitAttention::VitAttention(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : qkv_(add_layer<Linear>(
          *this,
          "qkv",
          spec.embed_dim,
          3 * spec.embed_dim,
          generator,
          spec.qkv_bias)),
      proj_(add_layer<Linear>(
          *this,
          "proj",
          spec.embed_dim,
          spec.embed_dim,
          generator)),
      heads_(*this, spec, number, generator) {}

at::Tensor VitAttention::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops,
    std::int64_t keep) const {
  const std::int64_t width = x.size(1);
  const auto project = [&](const at::Tensor& y) {
    return drops.activations((*proj_)(y));
  };
  if (keep == kAllTokens) {
    const auto qkv =
        (*qkv_)(x).view({images, -1, 3 * width}).split(width, /*dim=*/-1);
    return project(heads_(qkv[0], qkv[1], qkv[2], drops));
  }
  const auto projected = qkv_->parts(
      {x.view({images, -1, width}).narrow(1, 0, keep), x}, {width, 2 * width});
  const auto kv =
      projected[1].view({images, -1, 2 * width}).split(width, /*dim=*/-1);
  return project(heads_(projected[0], kv[0], kv[1], drops));
}

} // namespace vitrain::networks

#include "networks/transformers/vit_blocks.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "networks/layers/init.h"

namespace vitrain::networks {

using models::VitSpec;

Activation activation_of(VitSpec::Mlp mlp) {
  switch (mlp) {
    case VitSpec::Mlp::kGelu:
      return Activation::kGelu;
    case VitSpec::Mlp::kGeluTanh:
      return Activation::kGeluTanh;
    case VitSpec::Mlp::kQuickGelu:
      return Activation::kQuickGelu;
    case VitSpec::Mlp::kSwiGlu:
      return Activation::kSilu; // of the gate
  }
  return Activation::kGelu;
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
    const VitDrops& drops) const {
  const std::int64_t width = x.size(1);
  const auto parts =
      (*qkv_)(x).view({images, -1, 3 * width}).split(width, /*dim=*/-1);
  return drops((*proj_)(heads_(parts[0], parts[1], parts[2], drops)));
}

at::Tensor VitAttention::forward_first(
    const at::Tensor& x,
    std::int64_t images,
    std::int64_t count,
    const VitDrops& drops) const {
  const std::int64_t width = x.size(1);
  const std::vector<std::int64_t> sizes = {width, 2 * width};
  const auto weights = qkv_->weight.split_with_sizes(sizes);
  const auto biases = qkv_->bias.defined() ? qkv_->bias.split_with_sizes(sizes)
                                           : std::vector<at::Tensor>(2);
  const at::Tensor query = at::linear(
      x.view({images, -1, width}).narrow(1, 0, count), weights[0], biases[0]);
  const auto parts = at::linear(x, weights[1], biases[1])
                         .view({images, -1, 2 * width})
                         .split(width, /*dim=*/-1);
  return drops((*proj_)(heads_(query, parts[0], parts[1], drops)));
}

VitMlp::VitMlp(const VitSpec& spec, at::Generator generator)
    : gated_(spec.mlp == VitSpec::Mlp::kSwiGlu),
      activation_(activation_of(spec.mlp)) {
  const std::int64_t width = spec.embed_dim;
  const std::int64_t hidden = spec.mlp_dim;
  fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
  fc2_ = add_layer<Linear>(
      *this, "fc2", gated_ ? hidden / 2 : hidden, width, generator);
}

at::Tensor VitMlp::forward(const at::Tensor& x, const VitDrops& drops) const {
  return drops((*fc2_)(drops(hidden((*fc1_)(x)))));
}

void VitMlp::start(const at::Generator& generator) {
  if (gated_) {
    const at::NoGradGuard no_grad;
    normal(fc1_->weight.chunk(2, 0)[1], kVitTokenStd, generator);
    constant(fc1_->bias.chunk(2, 0)[1], 1.0);
  }
}

at::Tensor VitMlp::hidden(const at::Tensor& x) const {
  if (!gated_) {
    return activate(x, activation_);
  }
  const auto halves = x.chunk(2, /*dim=*/-1);
  return activate(halves[0], activation_) * halves[1];
}

VitScale::VitScale(const VitSpec& spec, const at::Generator& generator) {
  gamma = add_constant(
      *this, "gamma", {spec.embed_dim}, spec.layer_scale, generator);
}

std::shared_ptr<VitScale> add_vit_scale(
    torch::nn::Module& module,
    const char* name,
    const VitSpec& spec,
    const at::Generator& generator) {
  return spec.layer_scale > 0.0
      ? add_layer<VitScale>(module, name, spec, generator)
      : nullptr;
}

at::Tensor add_tokens(
    const at::Tensor& x,
    at::Tensor branch,
    const std::shared_ptr<VitScale>& scale,
    const at::Tensor& factors) {
  if (factors.defined()) {
    const std::array<std::int64_t, 3> by_image{factors.size(0), -1, x.size(1)};
    const at::Tensor by_row = factors.view({-1, 1, 1}).to(x.scalar_type());
    return at::addcmul(
               x.view(by_image),
               branch.view(by_image),
               scale ? by_row * scale->gamma : by_row)
        .view(x.sizes());
  }
  if (scale) {
    return at::addcmul(x, branch, scale->gamma);
  }
  return add_branch(x, std::move(branch), /*drop=*/{}, /*row=*/0);
}

at::Tensor
first_tokens(const at::Tensor& x, std::int64_t images, std::int64_t count) {
  return x.view({images, -1, x.size(1)})
      .narrow(1, 0, count)
      .reshape({-1, x.size(1)});
}

VitBlock::VitBlock(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : number_(number) {
  const std::int64_t width = spec.embed_dim;
  norm1_ = add_layer<VitNorm>(*this, "norm1", spec, width);
  attn_ = add_layer<VitAttention>(*this, "attn", spec, number, generator);
  scale1_ = add_vit_scale(*this, "ls1", spec, generator);
  norm2_ = add_layer<VitNorm>(*this, "norm2", spec, width);
  mlp_ = add_layer<VitMlp>(*this, "mlp", spec, generator);
  scale2_ = add_vit_scale(*this, "ls2", spec, generator);
}

at::Tensor VitBlock::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops) const {
  return add_branches(x, attn_->forward((*norm1_)(x), images, drops), drops);
}

at::Tensor VitBlock::forward_first(
    const at::Tensor& x,
    std::int64_t images,
    std::int64_t count,
    const VitDrops& drops) const {
  return add_branches(
      first_tokens(x, images, count),
      attn_->forward_first((*norm1_)(x), images, count, drops),
      drops);
}

at::Tensor VitBlock::add_branches(
    const at::Tensor& x,
    at::Tensor attention,
    const VitDrops& drops) const {
  const at::Tensor y = add_tokens(
      x, std::move(attention), scale1_, drops.of_branch(2 * number_));
  return add_tokens(
      y,
      mlp_->forward((*norm2_)(y), drops),
      scale2_,
      drops.of_branch(2 * number_ + 1));
}

VitPool::VitPool(const VitSpec& spec, const at::Generator& generator)
    : heads_(spec.num_heads) {
  const std::int64_t width = spec.embed_dim;
  latent_ = register_parameter("latent", new_weights({1, 1, width}, generator));
  q_ = add_layer<Linear>(*this, "q", width, width, generator);
  kv_ = add_layer<Linear>(*this, "kv", width, 2 * width, generator);
  proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  norm_ = add_layer<LayerNorm>(*this, "norm", width, spec.norm_eps);
  mlp_ = add_layer<Mlp>(
      *this, "mlp", width, spec.mlp_dim, generator, activation_of(spec.mlp));
  start(generator);
}

at::Tensor VitPool::forward(const at::Tensor& x) const {
  const std::int64_t images = x.size(0);
  const std::int64_t width = x.size(2);
  const auto parts = (*kv_)(x).split(width, /*dim=*/-1);
  const at::Tensor query = (*q_)(latent_).expand({images, 1, width});
  const at::Tensor seen = attention(
                              split_heads(query, heads_),
                              split_heads(parts[0], heads_),
                              split_heads(parts[1], heads_))
                              .transpose(1, 2)
                              .reshape({images, width});
  const at::Tensor pooled = (*proj_)(seen);
  return pooled + (*mlp_)((*norm_)(pooled));
}

void VitPool::start(const at::Generator& generator) {
  truncated_normal_by_std(
      latent_,
      1.0 / std::sqrt(static_cast<double>(latent_.size(2))),
      generator);
}

} // namespace vitrain::networks

#include "networks/families/xcit_blocks.h"

#include <optional>

#include <ATen/ATen.h>

#include "networks/layers/norm_relu.h"

namespace vitrain::networks {
namespace {

constexpr double kLeastLength = 1e-12; // as torch's normalize()

// Returns the L2 norm of each channel over the tokens, at least kLeastLength,
// in fp32 or fp64: [N, heads, T, d] -> [N, heads, 1, d].
at::Tensor lengths(const at::Tensor& x) {
  // Sums of squares in bf16 would lose too many digits.
  const auto type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return at::linalg_vector_norm(x, 2, {-2}, /*keepdim=*/true, type)
      .clamp_min(kLeastLength);
}

at::Tensor add_scale(
    torch::nn::Module& owner,
    const char* name,
    const models::XcitSpec& net,
    const at::Generator& generator) {
  return add_constant(owner, name, {net.embed_dim}, net.layer_scale, generator);
}

} // namespace

CrossCovarianceAttention::CrossCovarianceAttention(
    std::int64_t width,
    std::int64_t heads,
    const at::Generator& generator)
    : heads_(heads) {
  temperature_ =
      add_constant(*this, "temperature", {heads, 1, 1}, 1.0, generator);
  qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator);
  proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
}

at::Tensor CrossCovarianceAttention::operator()(const at::Tensor& x) const {
  const auto parts = split_parts((*qkv_)(x), 3, heads_);
  // Divides by the channels' norms after the product: d x d divisions per head
  // instead of T x d.
  const at::Tensor scale =
      temperature_ / (lengths(parts[0]).transpose(-2, -1) * lengths(parts[1]));
  const at::Tensor scores =
      at::matmul(parts[0].transpose(-2, -1), parts[1]) * scale;
  const at::Tensor weights = at::softmax(scores, -1).to(parts[2].scalar_type());
  return (*proj_)(at::matmul(parts[2], weights.transpose(-2, -1))
                      .transpose(1, 2)
                      .reshape(x.sizes()));
}

LocalInteraction::LocalInteraction(
    std::int64_t width,
    const at::Generator& generator) {
  const Conv2d::Shape depthwise = depthwise_shape(width, 3);
  conv1_ = add_layer<Conv2d>(*this, "conv1", depthwise, generator);
  bn_ = add_layer<BatchNorm2d>(*this, "bn", width);
  conv2_ = add_layer<Conv2d>(*this, "conv2", depthwise, generator);
  conv1_->use_channels_last();
  conv2_->use_channels_last();
}

at::Tensor LocalInteraction::forward(const at::Tensor& x, const ImageSize& grid)
    const {
  const at::Tensor image =
      x.view({x.size(0), grid.height, grid.width, x.size(2)})
          .permute({0, 3, 1, 2});
  const at::Tensor y = (*conv2_)(norm_only(*bn_, at::gelu((*conv1_)(image))));
  return y.permute({0, 2, 3, 1}).reshape(x.sizes());
}

XcitBlock::XcitBlock(
    const models::XcitSpec& net,
    std::int64_t row,
    const at::Generator& generator)
    : row_(row),
      gamma1_(add_scale(*this, "gamma1", net, generator)),
      gamma2_(add_scale(*this, "gamma2", net, generator)),
      gamma3_(add_scale(*this, "gamma3", net, generator)) {
  const std::int64_t width = net.embed_dim;
  norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kXcitNormEps);
  attn_ = add_layer<CrossCovarianceAttention>(
      *this, "attn", width, net.heads, generator);
  norm3_ = add_layer<LayerNorm>(*this, "norm3", width, kXcitNormEps);
  local_mp_ = add_layer<LocalInteraction>(*this, "local_mp", width, generator);
  norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kXcitNormEps);
  mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
}

at::Tensor XcitBlock::forward(
    const at::Tensor& x,
    const ImageSize& grid,
    const at::Tensor& drop) const {
  at::Tensor y = add_branch(x, (*attn_)((*norm1_)(x)), drop, row_, gamma1_);
  y = add_branch(
      y, local_mp_->forward((*norm3_)(y), grid), drop, row_ + 1, gamma3_);
  return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 2, gamma2_);
}

XcitClassBlock::XcitClassBlock(
    const models::XcitSpec& net,
    std::int64_t row,
    const at::Generator& generator)
    : row_(row),
      tokens_norm_(net.tokens_norm),
      gamma1_(add_scale(*this, "gamma1", net, generator)),
      gamma2_(add_scale(*this, "gamma2", net, generator)) {
  const std::int64_t width = net.embed_dim;
  norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kXcitNormEps);
  attn_ = add_layer<ClassAttention>(*this, "attn", width, net.heads, generator);
  norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kXcitNormEps);
  mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
}

XcitClassBlock::Tokens XcitClassBlock::forward(
    const Tokens& x,
    bool last,
    const at::Tensor& drop) const {
  const at::Tensor normed = (*norm1_)(at::cat({x.first, x.others}, 1));
  const at::Tensor y =
      add_branch(x.first, (*attn_)(normed), drop, row_, gamma1_);
  const at::Tensor z = (*norm2_)(y);
  return {
      .first = add_branch(z, (*mlp_)(z), drop, row_ + 1, gamma2_),
      .others =
          last ? at::Tensor() : pass_on(x.others, normed.slice(1, 1), drop)};
}

at::Tensor XcitClassBlock::pass_on(
    const at::Tensor& x,
    const at::Tensor& normed,
    const at::Tensor& drop) const {
  const at::Tensor y = add_branch(x, normed, drop, row_, gamma1_);
  const at::Tensor z = tokens_norm_ ? (*norm2_)(y) : y;
  return drop.defined() ? add_branch(z, z, drop, row_ + 1) : 2 * z;
}

} // namespace vitrain::networks

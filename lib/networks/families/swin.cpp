#include "models/families/swin.h"

#include <cmath>
#include <memory>

#include <ATen/ATen.h>

#include "networks/families/swin_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/windows.h"
#include "networks/networks.h"

// Tokens are images [N, H, W, C].
namespace vitrain::networks {
namespace {

class SwinAttention : public torch::nn::Module {
 public:
  SwinAttention(
      std::int64_t width,
      std::int64_t heads,
      const Windows& windows,
      const at::Generator& generator)
      : heads_(heads),
        positions_(relative_positions(windows.window)),
        mask_(windows.mask()) {
    const std::int64_t distances =
        (2 * windows.window.height - 1) * (2 * windows.window.width - 1);
    table_ = register_parameter(
        "relative_position_bias_table",
        new_weights({distances, heads}, generator));
    qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
    truncated_normal(table_, kSwinInitStd, generator);
  }

  // [N * windows, T, C] -> [N * windows, T, C]
  at::Tensor operator()(const at::Tensor& x) {
    const auto parts = split_parts((*qkv_)(x), 3, heads_);
    const double scale = 1.0 / std::sqrt(static_cast<double>(parts[0].size(3)));
    positions_ = positions_.to(x.device());
    mask_ = mask_.defined() ? mask_.to(x.device()) : mask_;
    return (*proj_)(biased_attention(
        parts[0] * scale,
        parts[1],
        parts[2],
        bias_of_pairs(table_, positions_),
        mask_));
  }

 private:
  std::int64_t heads_;
  at::Tensor positions_; // [T, T]
  at::Tensor mask_; // [windows, 1, T, T], or undefined
  at::Tensor table_; // [distances, heads]
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

class SwinBlock : public torch::nn::Module {
 public:
  SwinBlock(
      const models::SwinSpec& net,
      std::size_t stage,
      const Windows& windows,
      std::int64_t row,
      const at::Generator& generator)
      : windows_(windows), row_(row) {
    const std::int64_t width = net.embed_dim << stage;
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kSwinNormEps);
    attn_ = add_layer<SwinAttention>(
        *this, "attn", width, net.heads[stage], windows, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kSwinNormEps);
    mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor seen = windows_.over(
        (*norm1_)(x),
        [this](const at::Tensor& tokens) { return (*attn_)(tokens); });
    const at::Tensor y = add_branch(x, seen, drop, row_);
    return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 1);
  }

 private:
  Windows windows_;
  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<SwinAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// Merges 2 x 2 neighbours into one token of twice the width.
class PatchMerging : public torch::nn::Module {
 public:
  PatchMerging(std::int64_t width, const at::Generator& generator) {
    norm_ = add_layer<LayerNorm>(*this, "norm", 4 * width, kSwinNormEps);
    reduction_ = add_layer<Linear>(
        *this, "reduction", 4 * width, 2 * width, generator, false);
  }

  // [N, H, W, C] -> [N, ceil(H / 2), ceil(W / 2), 2 C]
  at::Tensor operator()(const at::Tensor& x) const {
    return (*reduction_)((*norm_)(neighbours(x)));
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> reduction_;
};

} // namespace

const MakeNetwork make_swin = construct<SwinModel<SwinBlock, PatchMerging>>;

} // namespace vitrain::networks

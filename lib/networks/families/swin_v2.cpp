#include "models/families/swin_v2.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <ATen/ATen.h>

#include "networks/families/swin_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/windows.h"
#include "networks/networks.h"

// Swin V2. Formulas: Liu et al., "Swin transformer V2", CVPR 2022. Constants:
// timm/models/swin_transformer_v2.py.
namespace vitrain::networks {
namespace {

constexpr std::int64_t kPositionHidden = 512;
constexpr double kMostBias = 16.0;
constexpr double kFirstScale = 10.0;
constexpr double kMostScale = 100.0;
constexpr double kLeastLength = 1e-12; // as torch's normalize()

// Normalises vectors along the last dimension to length 1.
at::Tensor directions(const at::Tensor& x) {
  return x / at::norm(x, 2, {-1}, /*keepdim=*/true).clamp_min(kLeastLength);
}

// Returns the relative positions (vertical, horizontal) within `window` on a
// logarithmic scale (section 3.3): [distances, 2] doubles. A distance of
// `reach` is +-log2(9) / 3.
at::Tensor log_distances(const ImageSize& window, const ImageSize& reach) {
  const auto scaled = [](std::int64_t distance, std::int64_t most) {
    const double x = 8.0 * static_cast<double>(distance) /
        static_cast<double>(std::max<std::int64_t>(most, 1));
    return std::copysign(std::log2(std::abs(x) + 1.0) / 3.0, x);
  };
  const std::int64_t rows = 2 * window.height - 1;
  const std::int64_t columns = 2 * window.width - 1;
  at::Tensor table = at::empty({rows * columns, 2}, at::kDouble);
  auto* out = table.data_ptr<double>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      *out++ = scaled(i - window.height + 1, reach.height);
      *out++ = scaled(j - window.width + 1, reach.width);
    }
  }
  return table;
}

// Continuous relative position bias: a two-layer MLP maps a distance to the
// bias of each head.
class PositionBias : public torch::nn::Module {
 public:
  PositionBias(
      const ImageSize& window,
      std::int64_t before,
      std::int64_t heads,
      const at::Generator& generator)
      : distances_(log_distances(
            window,
            before > 0 ? ImageSize(before - 1)
                       : ImageSize(window.height - 1, window.width - 1))),
        fc1_(add_layer<Linear>(*this, "0", 2, kPositionHidden, generator)),
        fc2_(add_layer<Linear>(
            *this,
            "2",
            kPositionHidden,
            heads,
            generator,
            /*with_bias=*/false)) {}

  // Returns the biases [distances, heads].
  at::Tensor operator()() {
    distances_ = distances_.to(fc1_->weight.options().requires_grad(false));
    const at::Tensor hidden = activate((*fc1_)(distances_), Activation::kRelu);
    return kMostBias * at::sigmoid((*fc2_)(hidden));
  }

 private:
  at::Tensor distances_; // [distances, 2]
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

class SwinV2Attention : public torch::nn::Module {
 public:
  SwinV2Attention(
      std::int64_t width,
      std::int64_t heads,
      const Windows& windows,
      std::int64_t before,
      const at::Generator& generator)
      : heads_(heads),
        positions_(relative_positions(windows.window)),
        mask_(windows.mask()) {
    const auto filled =
        [&](const char* name, at::IntArrayRef sizes, double value) {
          return add_constant(*this, name, sizes, value, generator);
        };
    logit_scale_ = filled("logit_scale", {heads, 1, 1}, std::log(kFirstScale));
    q_bias_ = filled("q_bias", {width}, 0.0);
    v_bias_ = filled("v_bias", {width}, 0.0);
    cpb_mlp_ = add_layer<PositionBias>(
        *this, "cpb_mlp", windows.window, before, heads, generator);
    qkv_ = add_layer<Linear>(
        *this, "qkv", width, 3 * width, generator, /*with_bias=*/false);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // [N * windows, T, C] -> [N * windows, T, C]
  at::Tensor operator()(const at::Tensor& x) {
    const at::Tensor bias =
        at::cat({q_bias_, at::zeros_like(q_bias_), v_bias_});
    const auto parts = split_parts(qkv_->with_bias(x, bias), 3, heads_);
    const at::Tensor scale = logit_scale_.clamp_max(std::log(kMostScale)).exp();
    positions_ = positions_.to(x.device());
    mask_ = mask_.defined() ? mask_.to(x.device()) : mask_;
    return (*proj_)(biased_attention(
        directions(parts[0]) * scale,
        directions(parts[1]),
        parts[2],
        bias_of_pairs((*cpb_mlp_)(), positions_),
        mask_));
  }

 private:
  std::int64_t heads_;
  at::Tensor positions_; // [T, T]
  at::Tensor mask_; // [windows, 1, T, T], or undefined
  at::Tensor logit_scale_; // [heads, 1, 1]
  at::Tensor q_bias_; // [C]; keys have no bias
  at::Tensor v_bias_; // [C]
  std::shared_ptr<PositionBias> cpb_mlp_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

// Block with norms at the end of its residual branches. Their initial weights
// are zero.
class SwinV2Block : public torch::nn::Module {
 public:
  SwinV2Block(
      const models::SwinSpec& net,
      std::size_t stage,
      const Windows& windows,
      std::int64_t row,
      const at::Generator& generator)
      : windows_(windows), row_(row) {
    const std::int64_t width = net.embed_dim << stage;
    attn_ = add_layer<SwinV2Attention>(
        *this,
        "attn",
        width,
        net.heads[stage],
        windows,
        net.windows_before[stage],
        generator);
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kSwinNormEps);
    mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kSwinNormEps);
    constant(norm1_->weight, 0.0);
    constant(norm2_->weight, 0.0);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor seen = windows_.over(
        x, [this](const at::Tensor& tokens) { return (*attn_)(tokens); });
    const at::Tensor y = add_branch(x, (*norm1_)(seen), drop, row_);
    return add_branch(y, (*norm2_)((*mlp_)(y)), drop, row_ + 1);
  }

 private:
  Windows windows_;
  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<SwinV2Attention> attn_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Mlp> mlp_;
  std::shared_ptr<LayerNorm> norm2_;
};

// Merges 2 x 2 neighbours into one token of twice the width.
class PatchMergingV2 : public torch::nn::Module {
 public:
  PatchMergingV2(std::int64_t width, const at::Generator& generator) {
    reduction_ = add_layer<Linear>(
        *this, "reduction", 4 * width, 2 * width, generator, false);
    norm_ = add_layer<LayerNorm>(*this, "norm", 2 * width, kSwinNormEps);
  }

  // [N, H, W, C] -> [N, ceil(H / 2), ceil(W / 2), 2 C]
  at::Tensor operator()(const at::Tensor& x) const {
    return (*norm_)((*reduction_)(neighbours(x)));
  }

 private:
  std::shared_ptr<Linear> reduction_;
  std::shared_ptr<LayerNorm> norm_;
};

} // namespace

const MakeNetwork make_swin_v2 =
    construct<SwinModel<SwinV2Block, PatchMergingV2>>;

} // namespace vitrain::networks

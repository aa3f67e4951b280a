#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "networks/families/byob_blocks.h"

// MobileViT blocks. The transformer attends within groups of pixels that have
// the same position in their patches. Tokens are [N, P, T, C]: P positions in a
// patch, T patches.
namespace vitrain::networks {
namespace {

using models::ByobBlocks;
using models::ByobSpec;

constexpr std::int64_t kMobileVitHeads = 4;
// Hidden width of the MLPs, in widths of the block.
constexpr std::int64_t kMobileVitHidden = 2;
constexpr double kMobileVitNormEps = 1e-5;

// Groups pixels by their position in a patch: [N, C, H, W] -> [N, side^2, H /
// side * W / side, C].
at::Tensor places_of(const at::Tensor& x, std::int64_t side) {
  const std::int64_t rows = x.size(2) / side;
  const std::int64_t columns = x.size(3) / side;
  return x.permute({0, 2, 3, 1})
      .reshape({x.size(0), rows, side, columns, side, x.size(1)})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({x.size(0), side * side, rows * columns, x.size(1)});
}

// Inverse of places_of(), for `rows` rows of patches.
at::Tensor
grid_of_tokens(const at::Tensor& x, std::int64_t side, std::int64_t rows) {
  const std::int64_t columns = x.size(2) / rows;
  return x.view({x.size(0), side, side, rows, columns, x.size(3)})
      .permute({0, 3, 1, 4, 2, 5})
      .reshape({x.size(0), rows * side, columns * side, x.size(3)})
      .permute({0, 3, 1, 2});
}

// Returns the image size of x rounded up to whole patches.
ImageSize whole_patches(const at::Tensor& x, std::int64_t side) {
  const auto whole = [&](std::int64_t pixels) {
    return (pixels + side - 1) / side * side;
  };
  return {whole(x.size(2)), whole(x.size(3))};
}

at::Tensor resized(const at::Tensor& x, const ImageSize& size, bool corners) {
  if (x.size(2) == size.height && x.size(3) == size.width) {
    return x;
  }
  return at::upsample_bilinear2d(x, {size.height, size.width}, corners);
}

// Pre-norm attention and MLP with residual connections. Stochastic depth drops
// whole images; timm drops single patch positions.
class PlacesBlock : public torch::nn::Module {
 public:
  explicit PlacesBlock(std::int64_t row) : row_(row) {}

  // [N, P, T, C] -> [N, P, T, C]
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor y = add_branch(x, seen(x), drop, row_);
    return add_branch(y, mixed(y), drop, row_ + 1);
  }

 private:
  virtual at::Tensor seen(const at::Tensor& x) const = 0;
  virtual at::Tensor mixed(const at::Tensor& x) const = 0;

  std::int64_t row_; // first of two rows of drop factors
};

// Block of a vision transformer: self-attention and MLP.
class TransformerBlock : public PlacesBlock {
 public:
  TransformerBlock(
      std::int64_t width,
      Activation activation,
      std::int64_t row,
      const at::Generator& generator)
      : PlacesBlock(row) {
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kMobileVitNormEps);
    const auto attention = add_layer<torch::nn::Module>(*this, "attn");
    qkv_ = add_layer<Linear>(*attention, "qkv", width, 3 * width, generator);
    proj_ = add_layer<Linear>(*attention, "proj", width, width, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kMobileVitNormEps);
    mlp_ = add_layer<Mlp>(
        *this, "mlp", width, kMobileVitHidden * width, generator, activation);
  }

 private:
  at::Tensor seen(const at::Tensor& x) const override {
    // Each part: [N * P, heads, T, d].
    const auto parts =
        split_parts((*qkv_)((*norm1_)(x)).flatten(0, 1), 3, kMobileVitHeads);
    return (*proj_)(attention(parts[0], parts[1], parts[2])
                        .transpose(1, 2)
                        .reshape(x.sizes()));
  }

  at::Tensor mixed(const at::Tensor& x) const override {
    return (*mlp_)((*norm2_)(x));
  }

  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// Attention with cost linear in the number of tokens (MobileViT v2): the
// softmax of one score per token weights the keys of a patch position's tokens;
// their sum scales the values.
class SeparableBlock : public PlacesBlock {
 public:
  SeparableBlock(
      std::int64_t width,
      Activation activation,
      std::int64_t row,
      const at::Generator& generator)
      : PlacesBlock(row), activation_(activation) {
    const std::int64_t hidden = kMobileVitHidden * width;
    const auto layer = [&](torch::nn::Module& module,
                           const char* name,
                           std::int64_t in,
                           std::int64_t out) {
      const Conv2d::Shape shape{.in = in, .out = out, .bias = true};
      return add_layer<Conv2d>(module, name, shape, generator);
    };
    norm1_ = add_layer<ImageNorm>(
        *this, "norm1", width, kMobileVitNormEps, generator);
    const auto attention = add_layer<torch::nn::Module>(*this, "attn");
    qkv_ = layer(*attention, "qkv_proj", width, 1 + 2 * width);
    proj_ = layer(*attention, "out_proj", width, width);
    norm2_ = add_layer<ImageNorm>(
        *this, "norm2", width, kMobileVitNormEps, generator);
    const auto mlp = add_layer<torch::nn::Module>(*this, "mlp");
    fc1_ = layer(*mlp, "fc1", width, hidden);
    fc2_ = layer(*mlp, "fc2", hidden, width);
  }

 private:
  at::Tensor seen(const at::Tensor& x) const override {
    const std::int64_t width = x.size(3);
    const auto parts = qkv_->pointwise((*norm1_)(x))
                           .split_with_sizes({1, width, width}, /*dim=*/-1);
    const at::Tensor shares =
        at::softmax(parts[0], /*dim=*/2).to(parts[1].scalar_type());
    const at::Tensor context =
        // Weighted sum of the keys: [N, P, 1, C].
        at::matmul(shares.transpose(2, 3), parts[1]);
    return proj_->pointwise(activate(parts[2], Activation::kRelu) * context);
  }

  at::Tensor mixed(const at::Tensor& x) const override {
    return fc2_->pointwise(
        activate(fc1_->pointwise((*norm2_)(x)), activation_));
  }

  Activation activation_;
  std::shared_ptr<ImageNorm> norm1_;
  std::shared_ptr<Conv2d> qkv_;
  std::shared_ptr<Conv2d> proj_;
  std::shared_ptr<ImageNorm> norm2_;
  std::shared_ptr<Conv2d> fc1_;
  std::shared_ptr<Conv2d> fc2_;
};

// MobileViT block, version 1 and 2: a transformer ("transformer.0", ...)
// between convolutions.
class MobileVitByob : public ByobBlock {
 public:
  MobileVitByob(
      const ByobSpec& net,
      const ByobBlocks& block,
      const ByobPlace& place,
      DropPaths& paths,
      const at::Generator& generator)
      : separable_(block.kind == ByobBlocks::Kind::kMobileVit2),
        patch_(block.patch) {
    const Activation activation = byob_activation(net);
    const std::int64_t out = models::multiple_of_8(block.width);
    const std::int64_t width = block.transformer_width > 0
        ? block.transformer_width
        : models::multiple_of_8(block.ratio * static_cast<double>(place.in));
    const auto add = [&](const char* name,
                         const Conv2d::Shape& shape,
                         std::optional<Activation> after) {
      return add_layer<ByobConv>(*this, name, shape, after, generator);
    };
    const std::int64_t groups = block.group > 0 ? place.in / block.group : 1;
    conv_ = add(
        "conv_kxk", padded_shape(place.in, place.in, 3, 1, groups), activation);
    widen_ = add_layer<Conv2d>(
        *this, "conv_1x1", padded_shape(place.in, width), generator);
    add_transformer(
        width,
        block.transformer_depth,
        activation,
        place.drop_rate,
        paths,
        generator);
    proj_ =
        add("conv_proj",
            padded_shape(width, out),
            separable_ ? std::nullopt : std::optional(activation));
    if (!separable_) {
      fusion_ =
          add("conv_fusion", padded_shape(place.in + out, out, 3), activation);
    }
  }

  Fork forward(const Fork& fork, const at::Tensor& drop) override {
    if (separable_) { // version 2: keeps the resized image
      const at::Tensor x =
          resized(fork.trunk, whole_patches(fork.trunk, patch_), true);
      return (*proj_)(transformed((*widen_)((*conv_)(x).trunk), drop));
    }
    const at::Tensor x = (*widen_)((*conv_)(fork.trunk).trunk);
    const at::Tensor y = resized(
        transformed(resized(x, whole_patches(x, patch_), false), drop),
        {x.size(2), x.size(3)},
        false);
    return (*fusion_)(at::cat({fork.branch, (*proj_)(y).trunk}, 1));
  }

 private:
  void add_transformer(
      std::int64_t width,
      std::int64_t depth,
      Activation activation,
      double drop_rate,
      DropPaths& paths,
      const at::Generator& generator) {
    const auto list = add_layer<torch::nn::Module>(*this, "transformer");
    for (std::int64_t i = 0; i < depth; ++i) {
      const std::int64_t row = paths.add(drop_rate, /*branches=*/2);
      const std::string name = std::to_string(i);
      if (separable_) {
        blocks_.push_back(add_layer<SeparableBlock>(
            *list, name, width, activation, row, generator));
      } else {
        blocks_.push_back(add_layer<TransformerBlock>(
            *list, name, width, activation, row, generator));
      }
    }
    if (separable_) {
      image_norm_ = add_layer<ImageNorm>(
          *this, "norm", width, kMobileVitNormEps, generator);
    } else {
      norm_ = add_layer<LayerNorm>(*this, "norm", width, kMobileVitNormEps);
    }
  }

  // Applies the transformer: [N, C, H, W] -> [N, C, H, W].
  at::Tensor transformed(const at::Tensor& x, const at::Tensor& drop) const {
    at::Tensor tokens = places_of(x, patch_);
    for (const auto& block : blocks_) {
      tokens = (*block)(tokens, drop);
    }
    tokens = separable_ ? (*image_norm_)(tokens) : (*norm_)(tokens);
    return grid_of_tokens(tokens, patch_, x.size(2) / patch_);
  }

  bool separable_;
  std::int64_t patch_;
  std::shared_ptr<ByobConv> conv_;
  std::shared_ptr<Conv2d> widen_;
  std::vector<std::shared_ptr<PlacesBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_; // null if separable_
  std::shared_ptr<ImageNorm> image_norm_; // null unless separable_
  std::shared_ptr<ByobConv> proj_;
  std::shared_ptr<ByobConv> fusion_;
};

} // namespace

std::shared_ptr<ByobBlock> make_mobilevit_block(
    const ByobSpec& net,
    const ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator) {
  return std::make_shared<MobileVitByob>(net, block, place, paths, generator);
}

} // namespace vitrain::networks

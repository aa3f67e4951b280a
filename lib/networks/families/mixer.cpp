#include "models/families/mixer.h"

#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kMixerNormEps = 1e-6;
constexpr double kGateNormEps = 1e-5; // torch's default, as in timm

// Initialises a linear layer as timm's mlp_mixer.py.
void start_mixing(const Linear& linear, bool in_mlp, at::Generator generator) {
  xavier_uniform(linear.weight, generator);
  if (in_mlp) {
    normal(linear.bias, 1e-6, generator);
  } else {
    constant(linear.bias, 0.0);
  }
}

// Block with layers over the tokens and over the channels: [N, T, D] -> [N, T,
// D].
class TokenBlock : public torch::nn::Module {
 public:
  explicit TokenBlock(std::int64_t row) : row_(row) {}

  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) = 0;
  // Samples the weights in timm's order.
  virtual void init_weights(at::Generator generator) = 0;

 protected:
  std::int64_t row_; // first row of the block's drop factors
};

// Returns the width of a hidden layer: `ratio` times the embedding's, rounded
// down.
std::int64_t hidden_width(const models::MixerSpec& net, double ratio) {
  return static_cast<std::int64_t>(ratio * static_cast<double>(net.embed_dim));
}

// MLP with `width` inputs and outputs. If `gated`, one half of the hidden
// values is multiplied by the SiLU of the other half (Shazeer, "GLU variants
// improve transformer", 2020).
class MixingMlp : public torch::nn::Module {
 public:
  MixingMlp(
      std::int64_t width,
      std::int64_t hidden,
      bool gated,
      const at::Generator& generator)
      : gated_(gated) {
    fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
    fc2_ = add_layer<Linear>(
        *this, "fc2", gated ? hidden / 2 : hidden, width, generator);
  }

  // [.., width] -> [.., width]
  at::Tensor operator()(const at::Tensor& x) const {
    return (*fc2_)(activate((*fc1_)(x), /*dim=*/-1));
  }

  // [N, width, D] -> [N, width, D]
  at::Tensor over_tokens(const at::Tensor& x) const {
    return fc2_->over_tokens(activate(fc1_->over_tokens(x), /*dim=*/1));
  }

  void init_weights(const at::Generator& generator) {
    start_mixing(*fc1_, /*in_mlp=*/true, generator);
    start_mixing(*fc2_, /*in_mlp=*/true, generator);
    if (gated_) { // inputs of silu start near 1
      const std::int64_t half = fc1_->weight.size(0) / 2;
      constant(fc1_->bias.slice(0, half), 1.0);
      normal(fc1_->weight.slice(0, half), 1e-6, generator);
    }
  }

 private:
  at::Tensor activate(const at::Tensor& hidden, std::int64_t dim) const {
    if (!gated_) {
      return at::gelu(hidden);
    }
    const auto halves = hidden.chunk(2, dim);
    return halves[0] * at::silu(halves[1]);
  }

  bool gated_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

class MixerBlock : public TokenBlock {
 public:
  MixerBlock(
      const models::MixerSpec& net,
      std::int64_t tokens,
      std::int64_t row,
      at::Generator generator)
      : TokenBlock(row) {
    const std::int64_t width = net.embed_dim;
    const auto add_mlp = [&](const char* name, std::int64_t in, double ratio) {
      return add_layer<MixingMlp>(
          *this,
          name,
          in,
          hidden_width(net, ratio),
          net.block == models::MixerSpec::Block::kGated,
          generator);
    };
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kMixerNormEps);
    mlp_tokens_ = add_mlp("mlp_tokens", tokens, net.tokens_ratio);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kMixerNormEps);
    mlp_channels_ = add_mlp("mlp_channels", width, net.channels_ratio);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) override {
    const at::Tensor mixed = mlp_tokens_->over_tokens((*norm1_)(x));
    const at::Tensor y = add_branch(x, mixed, drop, row_);
    return add_branch(y, (*mlp_channels_)((*norm2_)(y)), drop, row_ + 1);
  }

  void init_weights(at::Generator generator) override {
    mlp_tokens_->init_weights(generator);
    mlp_channels_->init_weights(generator);
  }

 private:
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<MixingMlp> mlp_tokens_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<MixingMlp> mlp_channels_;
};

// alpha x + beta, with learned vectors alpha and beta.
class Affine : public torch::nn::Module {
 public:
  Affine(std::int64_t width, const at::Generator& generator)
      : alpha_(add_constant(*this, "alpha", {1, 1, width}, 1.0, generator)),
        beta_(add_constant(*this, "beta", {1, 1, width}, 0.0, generator)) {}

  at::Tensor operator()(const at::Tensor& x) const {
    return at::addcmul(beta_, alpha_, x);
  }

 private:
  at::Tensor alpha_;
  at::Tensor beta_;
};

class ResMlpBlock : public TokenBlock {
 public:
  ResMlpBlock(
      const models::MixerSpec& net,
      std::int64_t tokens,
      std::int64_t row,
      at::Generator generator)
      : TokenBlock(row) {
    const std::int64_t width = net.embed_dim;
    const std::int64_t hidden = hidden_width(net, net.channels_ratio);
    ls1_ = add_constant(*this, "ls1", {width}, net.layer_scale, generator);
    ls2_ = add_constant(*this, "ls2", {width}, net.layer_scale, generator);
    norm1_ = add_layer<Affine>(*this, "norm1", width, generator);
    linear_tokens_ =
        add_layer<Linear>(*this, "linear_tokens", tokens, tokens, generator);
    norm2_ = add_layer<Affine>(*this, "norm2", width, generator);
    mlp_channels_ = add_layer<MixingMlp>(
        *this, "mlp_channels", width, hidden, /*gated=*/false, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) override {
    const at::Tensor mixed = linear_tokens_->over_tokens((*norm1_)(x));
    const at::Tensor y = add_branch(x, ls1_ * mixed, drop, row_);
    return add_branch(y, ls2_ * (*mlp_channels_)((*norm2_)(y)), drop, row_ + 1);
  }

  void init_weights(at::Generator generator) override {
    start_mixing(*linear_tokens_, /*in_mlp=*/false, generator);
    mlp_channels_->init_weights(generator);
  }

 private:
  std::shared_ptr<Affine> norm1_;
  std::shared_ptr<Linear> linear_tokens_;
  std::shared_ptr<Affine> norm2_;
  std::shared_ptr<MixingMlp> mlp_channels_;
  at::Tensor ls1_; // [D]
  at::Tensor ls2_; // [D]
};

// Spatial gating: one half of the channels times a linear map, over the tokens,
// of the other half.
class SpatialGate : public torch::nn::Module {
 public:
  SpatialGate(
      std::int64_t channels,
      std::int64_t tokens,
      at::Generator generator) {
    norm_ = add_layer<LayerNorm>(*this, "norm", channels / 2, kGateNormEps);
    proj_ = add_layer<Linear>(*this, "proj", tokens, tokens, generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    const auto halves = x.chunk(2, /*dim=*/-1);
    return halves[0] * proj_->over_tokens((*norm_)(halves[1]));
  }

  void init_weights(at::Generator generator) {
    start_mixing(*proj_, /*in_mlp=*/true, generator);
    normal(proj_->weight, 1e-6, generator);
    constant(proj_->bias, 1.0);
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> proj_;
};

class SpatialMlp : public torch::nn::Module {
 public:
  SpatialMlp(
      std::int64_t width,
      std::int64_t hidden,
      std::int64_t tokens,
      at::Generator generator) {
    fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
    gate_ = add_layer<SpatialGate>(*this, "gate", hidden, tokens, generator);
    fc2_ = add_layer<Linear>(*this, "fc2", hidden / 2, width, generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return (*fc2_)((*gate_)(at::gelu((*fc1_)(x))));
  }

  void init_weights(at::Generator generator) {
    start_mixing(*fc1_, /*in_mlp=*/true, generator);
    gate_->init_weights(generator);
    start_mixing(*fc2_, /*in_mlp=*/true, generator);
  }

 private:
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<SpatialGate> gate_;
  std::shared_ptr<Linear> fc2_;
};

class GmlpBlock : public TokenBlock {
 public:
  GmlpBlock(
      const models::MixerSpec& net,
      std::int64_t tokens,
      std::int64_t row,
      at::Generator generator)
      : TokenBlock(row) {
    const std::int64_t width = net.embed_dim;
    const std::int64_t hidden = hidden_width(net, net.channels_ratio);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kMixerNormEps);
    mlp_channels_ = add_layer<SpatialMlp>(
        *this, "mlp_channels", width, hidden, tokens, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) override {
    return add_branch(x, (*mlp_channels_)((*norm_)(x)), drop, row_);
  }

  void init_weights(at::Generator generator) override {
    mlp_channels_->init_weights(generator);
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<SpatialMlp> mlp_channels_;
};

std::shared_ptr<TokenBlock> make_token_block(
    const models::MixerSpec& net,
    std::int64_t tokens,
    std::int64_t row,
    const at::Generator& generator) {
  switch (net.block) {
    case models::MixerSpec::Block::kResidual:
      return std::make_shared<ResMlpBlock>(net, tokens, row, generator);
    case models::MixerSpec::Block::kSpatial:
      return std::make_shared<GmlpBlock>(net, tokens, row, generator);
    case models::MixerSpec::Block::kMixer:
    case models::MixerSpec::Block::kGated:
      break;
  }
  return std::make_shared<MixerBlock>(net, tokens, row, generator);
}

class Mixer : public ImageModel {
 public:
  Mixer(const models::ModelSpec& spec, at::Generator generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::MixerSpec>();
    const std::int64_t tokens = (spec.image_size.height / net.patch_size) *
        (spec.image_size.width / net.patch_size);
    stem_ = add_layer<PatchEmbed>(
        *this, "stem", spec.channels, net.patch_size, net.embed_dim, generator);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < net.depth; ++i) {
      // Every block has the full drop rate.
      const std::int64_t row = paths_.add(
          spec.drop_path,
          net.block == models::MixerSpec::Block::kSpatial ? 1 : 2);
      blocks_.push_back(make_token_block(net, tokens, row, generator));
      list->push_back(blocks_.back());
    }
    if (net.block == models::MixerSpec::Block::kResidual) {
      affine_ = add_layer<Affine>(*this, "norm", net.embed_dim, generator);
    } else {
      norm_ = add_layer<LayerNorm>(*this, "norm", net.embed_dim, kMixerNormEps);
    }
    head_ = add_layer<Linear>(
        *this, "head", net.embed_dim, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = stem_->forward(images);
    x = run_blocks(x, {}, blocks_, drop);
    x = norm_ ? (*norm_)(x) : (*affine_)(x);
    return (*head_)(x.mean(1));
  }

 private:
  void init_weights(at::Generator generator) {
    lecun_normal(stem_->proj().weight, generator);
    constant(stem_->proj().bias, 0.0);
    for (const auto& block : blocks_) {
      block->init_weights(generator);
    }
    constant(head_->weight, 0.0);
    constant(head_->bias, 0.0);
  }

  std::shared_ptr<PatchEmbed> stem_;
  std::vector<std::shared_ptr<TokenBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Affine> affine_; // ResMLP's norm in place of LayerNorm
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_mixer = construct<Mixer>;

} // namespace vitrain::networks

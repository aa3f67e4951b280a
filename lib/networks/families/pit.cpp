#include "models/families/pit.h"

#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/families/vit.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::PitSpec;

constexpr double kPitNormEps = 1e-6;

// Input and output of a stage: class (and distillation) tokens, and patch
// tokens.
struct PitTokens {
  at::Tensor front; // [N, count, D]
  at::Tensor patches; // [N, H, W, D]
};

// Halves the sides of the patch grid, rounded up, and changes the width of all
// tokens.
class PitPooling : public torch::nn::Module {
 public:
  PitPooling(
      std::int64_t in,
      std::int64_t out,
      const at::Generator& generator) {
    const Conv2d::Shape shape =
        padded_shape(in, out, /*kernel=*/3, /*stride=*/2, /*groups=*/in)
            .with_bias();
    conv_ = add_layer<Conv2d>(*this, "conv", shape, generator);
    fc_ = add_layer<Linear>(*this, "fc", in, out, generator);
    conv_->use_channels_last();
  }

  PitTokens operator()(const PitTokens& x) const {
    return {(*fc_)(x.front), conv_->over_pixels(x.patches)};
  }

 private:
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<Linear> fc_;
};

class PitStage : public torch::nn::Module {
 public:
  // `first`: number of the stage's first block, counted over all stages from 0.
  PitStage(
      const PitSpec& net,
      std::size_t stage,
      std::int64_t first,
      const at::Generator& generator) {
    if (stage > 0) {
      pool_ = add_layer<PitPooling>(
          *this, "pool", net.width(stage - 1), net.width(stage), generator);
    }
    const models::VitSpec spec =
        vit_block_spec(net.width(stage), net.heads[stage], net.mlp_ratio);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
      blocks_.push_back(
          append_layer<VitBlock>(*list, spec, first + i, generator));
    }
  }

  PitTokens forward(PitTokens x, const VitDrops& drops) const {
    x = pool_ ? (*pool_)(x) : x;
    const std::int64_t images = x.front.size(0);
    const std::int64_t width = x.front.size(2);
    const std::int64_t front = x.front.size(1);
    const at::Tensor y =
        run_blocks(joined(x), {}, blocks_, images, drops, kAllTokens)
            .view({images, -1, width});
    return {
        y.narrow(1, 0, front),
        y.narrow(1, front, y.size(1) - front).reshape(x.patches.sizes())};
  }

  // Runs the last stage and returns only the class (and distillation) tokens
  // [N * count, D].
  at::Tensor forward_front(PitTokens x, const VitDrops& drops) const {
    x = pool_ ? (*pool_)(x) : x;
    const std::int64_t images = x.front.size(0);
    const at::Tensor y = run_blocks(
        joined(x),
        {},
        std::span(blocks_).first(blocks_.size() - 1),
        images,
        drops,
        kAllTokens);
    return blocks_.back()->forward(y, images, drops, x.front.size(1));
  }

 private:
  // Concatenates all tokens: [N * T, D].
  static at::Tensor joined(const PitTokens& x) {
    return at::cat({x.front, x.patches.flatten(1, 2)}, 1).flatten(0, 1);
  }

  std::shared_ptr<PitPooling> pool_; // null in the first stage
  std::vector<std::shared_ptr<VitBlock>> blocks_;
};

class Pit : public ImageModel {
 public:
  Pit(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<PitSpec>();
    add_embedding(net, generator);
    std::int64_t blocks = 0;
    const auto list =
        add_layer<torch::nn::ModuleListImpl>(*this, "transformers");
    for (std::size_t stage = 0; stage < net.depths.size(); ++stage) {
      stages_.push_back(
          append_layer<PitStage>(*list, net, stage, blocks, generator));
      blocks += net.depths[stage];
    }
    const std::int64_t width = net.width(net.depths.size() - 1);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kPitNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    if (net.distilled) {
      head_dist_ = add_layer<Linear>(
          *this, "head_dist", width, spec.num_classes, generator);
    }
    truncated_normal(pos_embed_, kVitInitStd, generator);
    truncated_normal(cls_token_, kVitInitStd, generator);
    for (const double rate : rising_rates(spec.drop_path, blocks)) {
      paths_.add(rate, /*branches=*/2);
    }
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const std::int64_t count = images.size(0);
    const VitDrops drops{.path_factors = drop};
    PitTokens x{
        cls_token_.expand({count, -1, -1}),
        ((*conv_)(images) + pos_embed_).permute({0, 2, 3, 1})};
    for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {
      x = stages_[i]->forward(x, drops);
    }
    const at::Tensor front = (*norm_)(stages_.back()->forward_front(x, drops));
    if (!head_dist_) {
      return (*head_)(front);
    }
    const auto each = front.view({count, 2, -1}).unbind(1);
    return of_two_heads(
        spec_, is_training(), (*head_)(each[0]), (*head_dist_)(each[1]));
  }

 private:
  void add_embedding(const PitSpec& net, const at::Generator& generator) {
    const std::int64_t width = net.width(0);
    const auto patches = [&](std::int64_t side) {
      return (side - net.patch_size) / net.stride + 1;
    };
    const Conv2d::Shape shape{
        .in = spec_.channels,
        .out = width,
        .kernel = net.patch_size,
        .stride = net.stride,
        .bias = true};
    const auto embed = add_layer<torch::nn::Module>(*this, "patch_embed");
    conv_ = add_layer<Conv2d>(*embed, "conv", shape, generator);
    const ImageSize& size = spec_.image_size;
    pos_embed_ = register_parameter(
        "pos_embed",
        new_weights(
            {1, width, patches(size.height), patches(size.width)}, generator));
    cls_token_ = register_parameter(
        "cls_token", new_weights({1, net.tokens(), width}, generator));
    // timm samples these before the blocks and overwrites them at the end.
    normal(pos_embed_, 1.0, generator);
    normal(cls_token_, 1.0, generator);
  }

  std::shared_ptr<Conv2d> conv_;
  at::Tensor pos_embed_; // [1, D, H, W]
  at::Tensor cls_token_; // [1, 1 or 2, D]
  std::vector<std::shared_ptr<PitStage>> stages_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
  std::shared_ptr<Linear> head_dist_; // null if not distilled
};

} // namespace

const MakeNetwork make_pit = construct<Pit>;

} // namespace vitrain::networks

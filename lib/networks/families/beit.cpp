#include "models/families/beit.h"

#include <cmath>
#include <memory>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/layers/windows.h"
#include "networks/networks.h"

// Tokens are [N, T, C], the class token first.
namespace vitrain::networks {
namespace {

using models::BeitSpec;

constexpr double kBeitNormEps = 1e-6;
constexpr double kBeitInitStd = 0.02;
constexpr double kBeitHeadScale = 0.001;

// Returns relative_positions() of the patches with three more indices: class
// token to patch, patch to class token, class token to itself.
at::Tensor positions_with_token(const ImageSize& grid) {
  const std::int64_t distances = (2 * grid.height - 1) * (2 * grid.width - 1);
  at::Tensor positions =
      at::constant_pad_nd(relative_positions(grid), {1, 0, 1, 0}, distances);
  positions.select(1, 0).fill_(distances + 1);
  positions[0][0] = distances + 2;
  return positions;
}

class BeitAttention : public torch::nn::Module {
 public:
  BeitAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator,
      const ImageSize& grid)
      : heads_(heads) {
    const auto zeros = [&](const char* name, at::IntArrayRef sizes) {
      return add_constant(*this, name, sizes, 0.0, generator);
    };
    q_bias_ = zeros("q_bias", {width});
    v_bias_ = zeros("v_bias", {width});
    table_ = zeros(
        "relative_position_bias_table",
        {(2 * grid.height - 1) * (2 * grid.width - 1) + 3, heads_});
    qkv_ = add_layer<Linear>(
        *this, "qkv", width, 3 * width, generator, /*with_bias=*/false);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // [N, T, C] -> [N, T, C]; positions: [T, T].
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& positions)
      const {
    const at::Tensor bias =
        at::cat({q_bias_, at::zeros_like(q_bias_), v_bias_});
    const auto parts = split_parts(qkv_->with_bias(x, bias), 3, heads_);
    const double scale = 1.0 / std::sqrt(static_cast<double>(parts[0].size(3)));
    return (*proj_)(biased_attention(
        parts[0] * scale,
        parts[1],
        parts[2],
        bias_of_pairs(table_, positions)));
  }

 private:
  std::int64_t heads_;
  at::Tensor q_bias_; // [C]; keys have no bias
  at::Tensor v_bias_; // [C]
  at::Tensor table_; // [distances + 3, heads]
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

using BeitBlock = ScaledBlock<BeitAttention>;

class Beit : public ImageModel {
 public:
  Beit(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<BeitSpec>();
    const std::int64_t width = net.embed_dim;
    cls_token_ =
        register_parameter("cls_token", new_weights({1, 1, width}, generator));
    patch_embed_ = add_layer<PatchEmbed>(
        *this, "patch_embed", spec.channels, net.patch_size, width, generator);
    const ImageSize grid = models::patch_grid<BeitSpec>(spec);
    positions_ = positions_with_token(grid);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const double rate : rising_rates(spec.drop_path, net.depth)) {
      blocks_.push_back(append_layer<BeitBlock>(
          *list, net, paths_.add(rate, BeitBlock::kBranches), generator, grid));
    }
    fc_norm_ = add_layer<LayerNorm>(*this, "fc_norm", width, kBeitNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const at::Tensor patches = patch_embed_->forward(images);
    at::Tensor x = at::cat(
        {cls_token_.expand({images.size(0), -1, -1}).to(patches.scalar_type()),
         patches},
        1);
    positions_ = positions_.to(x.device());
    for (const auto& block : blocks_) {
      x = run_block(
          x, {}, [block, drop, positions = positions_](const at::Tensor& in) {
            return block->forward(in, in, drop, positions);
          });
    }
    return (*head_)((*fc_norm_)(x.slice(1, 1).mean(1)));
  }

 private:
  // Samples the weights in timm's order.
  void init_weights(const at::Generator& generator) {
    init_linear_layers(*this, kBeitInitStd, generator);
    truncated_normal(cls_token_, kBeitInitStd, generator);
    truncated_normal(head_->weight, kBeitInitStd, generator);
    // As in timm, block i's last layers are divided by sqrt(2 (i + 1)).
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto weights = blocks_[i]->named_parameters();
      const double by = std::sqrt(2.0 * static_cast<double>(i + 1));
      weights["attn.proj.weight"].div_(by);
      weights["mlp.fc2.weight"].div_(by);
    }
    head_->weight.mul_(kBeitHeadScale);
  }

  at::Tensor positions_; // [T, T]: relative positions, shared by all blocks
  at::Tensor cls_token_; // [1, 1, C]
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::vector<std::shared_ptr<BeitBlock>> blocks_;
  std::shared_ptr<LayerNorm> fc_norm_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_beit = construct<Beit>;

} // namespace vitrain::networks

#include "models/families/hvt.h"

#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/families/vit.h"
#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::HvtSpec;

constexpr double kHvtNormEps = 1e-6;

// A ViT block, optionally followed by max pooling that halves the number of
// tokens, and by new position embeddings.
class HvtBlock : public VitBlock {
 public:
  // `left`: number of tokens after pooling; 0: no pooling.
  HvtBlock(
      const models::VitSpec& spec,
      std::int64_t number,
      std::int64_t left,
      const at::Generator& generator)
      : VitBlock(spec, number, generator) {
    if (left > 0) {
      pos_embed_ = register_parameter(
          "pos_embed", new_weights({1, left, spec.embed_dim}, generator));
      truncated_normal(pos_embed_, kVitInitStd, generator);
    }
  }

  // [N * T, D] -> [N * T', D]
  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const override {
    const at::Tensor y = VitBlock::forward(x, images, drops, keep);
    if (!pos_embed_.defined()) {
      return y;
    }
    // Views the tokens as rows of an image, without a copy.
    const at::Tensor pooled = at::max_pool2d(
        y.view({images, 1, -1, y.size(1)}),
        {HvtSpec::kPoolWindow, 1},
        {HvtSpec::kPoolStride, 1});
    return (pooled.squeeze(1) + pos_embed_).flatten(0, 1);
  }

 private:
  at::Tensor pos_embed_; // [1, T', D], or undefined
};

class Hvt : public ImageModel {
 public:
  Hvt(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<HvtSpec>();
    const std::int64_t width = net.embed_dim;
    std::int64_t tokens = models::patch_grid<HvtSpec>(spec).area();
    pos_embed_ = register_parameter(
        "pos_embed", new_weights({1, tokens, width}, generator));
    patch_embed_ = add_layer<PatchEmbed>(
        *this, "patch_embed", spec.channels, net.patch_size, width, generator);
    const models::VitSpec blocks =
        vit_block_spec(width, net.heads, net.mlp_ratio);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < net.depth; ++i) {
      tokens = net.pools(i) ? HvtSpec::pooled(tokens) : tokens;
      blocks_.push_back(append_layer<HvtBlock>(
          *list, blocks, i, net.pools(i) ? tokens : 0, generator));
    }
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kHvtNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    // The authors' order of sampling.
    truncated_normal(pos_embed_, kVitInitStd, generator);
    init_linear_layers(*this, kVitInitStd, generator);
    for (const double rate : rising_rates(spec.drop_path, net.depth)) {
      paths_.add(rate, /*branches=*/2);
    }
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const std::int64_t count = images.size(0);
    const VitDrops drops{.path_factors = drop};
    at::Tensor x = (patch_embed_->forward(images) + pos_embed_).flatten(0, 1);
    x = run_blocks(x, {}, blocks_, count, drops, kAllTokens);
    return (*head_)((*norm_)(x).view({count, -1, x.size(1)}).mean(1));
  }

 private:
  at::Tensor pos_embed_; // [1, patches, D]
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::vector<std::shared_ptr<HvtBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_hvt = construct<Hvt>;

} // namespace vitrain::networks

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>

#include "models/families/swin.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/layers/windows.h"

// Swin transformer of both versions, over a type of block. `Block` has a
// constructor (net, stage, windows, row, generator), where `row` is the first
// of the block's two rows of drop factors, and forward(x, drop). `Merging`
// halves the sides of the grid and doubles the width; it has a constructor
// (width of its input, generator) and operator(). Tokens travel as images [N,
// H, W, C].
namespace vitrain::networks {

inline constexpr double kSwinNormEps = 1e-5;
inline constexpr double kSwinInitStd = 0.02;

template <typename Block, typename Merging>
class SwinStage : public torch::nn::Module {
 public:
  // `grid`: size of the token grid in this stage, after `Merging`. `rows`: the
  // row of each block.
  SwinStage(
      const models::SwinSpec& net,
      std::size_t stage,
      const ImageSize& grid,
      const std::vector<std::int64_t>& rows,
      const at::Generator& generator) {
    if (stage > 0) {
      downsample_ = add_layer<Merging>(
          *this, "downsample", net.embed_dim << (stage - 1), generator);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const std::int64_t row : rows) {
      const Windows windows(
          grid, net.windows[stage], /*shifted=*/blocks_.size() % 2 == 1);
      blocks_.push_back(
          append_layer<Block>(*list, net, stage, windows, row, generator));
    }
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? (*downsample_)(x) : x;
    return run_blocks(x, {}, blocks_, drop);
  }

 private:
  std::shared_ptr<Merging> downsample_;
  std::vector<std::shared_ptr<Block>> blocks_;
};

template <typename Block, typename Merging>
class SwinModel : public ImageModel {
 public:
  SwinModel(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::SwinSpec>();
    patch_embed_ = add_layer<PatchEmbed>(
        *this,
        "patch_embed",
        spec.channels,
        models::swin::kPatch,
        net.embed_dim,
        generator);
    patch_norm_ = add_layer<LayerNorm>(
        *patch_embed_, "norm", net.embed_dim, kSwinNormEps);
    add_stages(net, generator);
    const std::int64_t width = net.embed_dim << (net.depths.size() - 1);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kSwinNormEps);
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Linear>(*head, "fc", width, spec.num_classes, generator);
    init_linear_layers(*this, kSwinInitStd, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = patch_embed_->forward(images);
    const ImageSize grid = models::swin::grid(spec_, 0);
    x = (*patch_norm_)(x).view(
        {images.size(0), grid.height, grid.width, x.size(2)});
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*fc_)((*norm_)(x).flatten(1, 2).mean(1));
  }

 private:
  using Stage = SwinStage<Block, Merging>;

  void add_stages(const models::SwinSpec& net, const at::Generator& generator) {
    const auto rows =
        paths_.add_stages(net.depths, spec_.drop_path, /*branches=*/2);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "layers");
    for (std::size_t stage = 0; stage < rows.size(); ++stage) {
      stages_.push_back(append_layer<Stage>(
          *list,
          net,
          stage,
          models::swin::grid(spec_, stage),
          rows[stage],
          generator));
    }
  }

  std::shared_ptr<PatchEmbed> patch_embed_;
  std::shared_ptr<LayerNorm> patch_norm_;
  std::vector<std::shared_ptr<Stage>> stages_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> fc_;
};

} // namespace vitrain::networks

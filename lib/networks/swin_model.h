#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>

#include "models/families/swin.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/layers/windows.h"
#include "networks/model.h"

// The network around the blocks of a Swin transformer, of both versions.
// `Block` has a constructor (net, stage, windows, row, generator) and
// forward(x, drop); `Merging` halves the sides of a grid and doubles its width:
// a constructor (width, generator) and a call. Tokens travel as images [N, H,
// W, C].
namespace vitrain::networks {

inline constexpr double kSwinNormEps = 1e-5;
inline constexpr double kSwinInitStd = 0.02;

template <typename Block, typename Merging>
class SwinStage : public torch::nn::Module {
 public:
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
          std::make_shared<Block>(net, stage, windows, row, generator));
      list->push_back(blocks_.back());
    }
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? (*downsample_)(x) : x;
    for (const auto& block : blocks_) {
      x = run_block(x, {}, [block, drop](const at::Tensor& in) {
        return block->forward(in, drop);
      });
    }
    return x;
  }

 private:
  std::shared_ptr<Merging> downsample_;
  std::vector<std::shared_ptr<Block>> blocks_;
};

template <typename Block, typename Merging>
class SwinModel : public Model {
 public:
  SwinModel(const models::ModelSpec& spec, const at::Generator& generator)
      : spec_(spec) {
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
    start(generator);
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    check_images(images, spec_);
    at::Tensor x = patch_embed_->forward(images);
    const ImageSize grid = models::swin::grid(spec_, 0);
    x = (*patch_norm_)(x).view(
        {images.size(0), grid.height, grid.width, x.size(2)});
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*fc_)((*norm_)(x).flatten(1, 2).mean(1));
  }

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 private:
  using Stage = SwinStage<Block, Merging>;

  void add_stages(const models::SwinSpec& net, const at::Generator& generator) {
    const std::vector<double> rates = rising_rates(
        spec_.drop_path,
        std::accumulate(net.depths.begin(), net.depths.end(), std::int64_t{0}));
    auto rate = rates.begin();
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "layers");
    for (std::size_t stage = 0; stage < net.depths.size(); ++stage) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
        rows.push_back(paths_.add(*rate));
        paths_.add(*rate++); // both branches of a block share it
      }
      stages_.push_back(std::make_shared<Stage>(
          net, stage, models::swin::grid(spec_, stage), rows, generator));
      list->push_back(stages_.back());
    }
  }

  void start(const at::Generator& generator) {
    // timm draws them in the order of registration.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* linear = module->template as<Linear>()) {
        truncated_normal(linear->weight, kSwinInitStd, generator);
        if (linear->bias.defined()) {
          constant(linear->bias, 0.0);
        }
      }
    }
  }

  models::ModelSpec spec_;
  DropPaths paths_;
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::shared_ptr<LayerNorm> patch_norm_;
  std::vector<std::shared_ptr<Stage>> stages_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> fc_;
};

} // namespace vitrain::networks

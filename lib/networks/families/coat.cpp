#include "models/families/coat.h"

#include <array>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/families/coat_attention.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kCoatNormEps = 1e-6;
constexpr double kCoatPatchNormEps = 1e-5; // torch's default, as in timm
constexpr double kCoatInitStd = 0.02;

// Block of a single scale.
class SerialBlock : public torch::nn::Module {
 public:
  SerialBlock(
      const CoatScale& scale,
      std::int64_t row,
      const at::Generator& generator)
      : grid_(scale.grid), row_(row), position_(scale.position) {
    const std::int64_t width = scale.width;
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kCoatNormEps);
    attn_ =
        add_layer<FactorAttention>(*this, "factoratt_crpe", scale, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kCoatNormEps);
    mlp_ =
        add_layer<Mlp>(*this, "mlp", width, scale.mlp_ratio * width, generator);
  }

  at::Tensor forward(const at::Tensor& tokens, const at::Tensor& drop) const {
    at::Tensor x = (*position_)(tokens, grid_);
    x = add_branch(x, (*attn_)((*norm1_)(x)), drop, row_);
    return add_branch(x, (*mlp_)((*norm2_)(x)), drop, row_ + 1);
  }

 private:
  ImageSize grid_;
  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<CoatPosition> position_; // shared by the blocks of the scale
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<FactorAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// Tokens of the last three scales.
using ScaleTokens = std::array<at::Tensor, 3>;

// Parallel block over the last three scales: each scale adds the resized
// attention outputs of the two other scales.
class ParallelBlock : public torch::nn::Module {
 public:
  ParallelBlock(
      const std::vector<CoatScale>& scales,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    for (std::size_t i = 0; i < attns_.size(); ++i) {
      const CoatScale& scale = scales[i + 1];
      const std::string number = std::to_string(i + 2);
      grids_[i] = scale.grid;
      positions_[i] = scale.position;
      norms1_[i] = add_layer<LayerNorm>(
          *this, "norm1" + number, scale.width, kCoatNormEps);
      norms2_[i] = add_layer<LayerNorm>(
          *this, "norm2" + number, scale.width, kCoatNormEps);
      attns_[i] = add_layer<FactorAttention>(
          *this, "factoratt_crpe" + number, scale, generator);
    }
    // One MLP for all scales: timm's mlp3 and mlp4 are the same module.
    const std::int64_t width = scales[1].width;
    mlp_ = add_layer<Mlp>(
        *this, "mlp2", width, scales[1].mlp_ratio * width, generator);
  }

  ScaleTokens forward(ScaleTokens x, const at::Tensor& drop) const {
    ScaleTokens seen;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (*positions_[i])(x[i], grids_[i]);
      seen[i] = (*attns_[i])((*norms1_[i])(x[i]));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      at::Tensor sum = seen[i];
      for (std::size_t j = 0; j < x.size(); ++j) {
        sum = i == j ? sum : sum + resized(seen[j], grids_[j], grids_[i]);
      }
      x[i] = add_branch(x[i], sum, drop, row_ + static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto row = row_ + static_cast<std::int64_t>(x.size() + i);
      x[i] = add_branch(x[i], (*mlp_)((*norms2_[i])(x[i])), drop, row);
    }
    return x;
  }

 private:
  static at::Tensor resized(
      const at::Tensor& tokens,
      const ImageSize& from,
      const ImageSize& to) {
    const at::Tensor image = at::upsample_bilinear2d(
        image_of(tokens, from).permute({0, 3, 1, 2}),
        {to.height, to.width},
        /*align_corners=*/false);
    return with_class(tokens, image.permute({0, 2, 3, 1}));
  }

  template <typename Layer>
  using OfScales = std::array<std::shared_ptr<Layer>, 3>;

  std::int64_t row_; // row of drop factors of the first branch
  std::array<ImageSize, 3> grids_;
  // Shared with the serial blocks of the scales.
  OfScales<CoatPosition> positions_;
  OfScales<LayerNorm> norms1_;
  OfScales<FactorAttention> attns_;
  OfScales<LayerNorm> norms2_;
  std::shared_ptr<Mlp> mlp_;
};

// Learned weighted sum of three features, as timm's Conv1d: [N, C, 3] -> [N,
// C].
class CoatAggregate : public torch::nn::Module {
 public:
  explicit CoatAggregate(const at::Generator& generator) {
    weight_ = register_parameter("weight", new_weights({1, 3, 1}, generator));
    uniform_by_fan_in(weight_, generator);
    bias_ = register_parameter("bias", new_weights({1}, generator));
    uniform_bias(bias_, weight_, generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return at::linear(x, weight_.squeeze(2), bias_).squeeze(2);
  }

 private:
  at::Tensor weight_; // [1, 3, 1]
  at::Tensor bias_; // [1]
};

class Coat : public ImageModel {
 public:
  Coat(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::CoatSpec>();
    const bool parallel = net.parallel_depth > 0;
    add_scales(net, generator);
    add_blocks(net, generator);
    for (std::size_t i = parallel ? 1 : 3; i < scales_.size(); ++i) {
      norms_.push_back(add_layer<LayerNorm>(
          *this,
          "norm" + std::to_string(i + 1),
          scales_[i].width,
          kCoatNormEps));
    }
    if (parallel) {
      aggregate_ = add_layer<CoatAggregate>(*this, "aggregate", generator);
    }
    head_ = add_layer<Linear>(
        *this, "head", net.widths.back(), spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor image = images.permute({0, 2, 3, 1}).contiguous();
    std::vector<at::Tensor> tokens;
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      image = (*patch_embeds_[i])(image);
      at::Tensor x = at::cat(
          {cls_tokens_[i].expand({image.size(0), -1, -1}), image.flatten(1, 2)},
          1);
      for (const auto& block : serial_[i]) {
        x = block->forward(x, drop);
      }
      image = image_of(x, scales_[i].grid);
      tokens.push_back(x);
    }
    if (!aggregate_) {
      return (*head_)((*norms_[0])(tokens[3].select(1, 0)));
    }
    ScaleTokens last{tokens[1], tokens[2], tokens[3]};
    for (const auto& block : parallel_) {
      last = block->forward(last, drop);
    }
    std::vector<at::Tensor> classes;
    for (std::size_t i = 0; i < last.size(); ++i) {
      classes.push_back((*norms_[i])(last[i].select(1, 0)));
    }
    return (*head_)((*aggregate_)(at::stack(classes, 2)));
  }

 private:
  // Adds layers in timm's order: one type of layer for all scales, then the
  // next type.
  void add_scales(const models::CoatSpec& net, const at::Generator& generator) {
    const auto name = [](const char* layer, std::size_t stage) {
      return layer + std::to_string(stage + 1);
    };
    ImageSize grid = spec_.image_size;
    for (std::size_t i = 0; i < net.widths.size(); ++i) {
      const std::int64_t patch = i == 0 ? models::coat::kPatch : 2;
      grid = ImageSize(grid.height / patch, grid.width / patch);
      scales_.push_back(
          {.width = net.widths[i],
           .mlp_ratio = net.mlp_ratios[i],
           .grid = grid});
      const Conv2d::Shape shape = patch_shape(
          i == 0 ? spec_.channels : net.widths[i - 1], net.widths[i], patch);
      patch_embeds_.push_back(add_layer<ConvEmbed>(
          *this, name("patch_embed", i), shape, kCoatPatchNormEps, generator));
      patch_embeds_.back()->proj().use_channels_last();
      cls_tokens_.push_back(register_parameter(
          name("cls_token", i), new_weights({1, 1, net.widths[i]}, generator)));
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      scales_[i].position = add_layer<CoatPosition>(
          *this, name("cpe", i), net.widths[i], generator);
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      scales_[i].relative = add_layer<CoatRelativePosition>(
          *this, name("crpe", i), net.widths[i], generator);
    }
  }

  void add_blocks(const models::CoatSpec& net, const at::Generator& generator) {
    // timm uses the same drop rate for all blocks.
    const double rate = spec_.drop_path;
    for (std::size_t stage = 0; stage < scales_.size(); ++stage) {
      const auto list = add_layer<torch::nn::ModuleListImpl>(
          *this, "serial_blocks" + std::to_string(stage + 1));
      for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
        serial_[stage].push_back(append_layer<SerialBlock>(
            *list,
            scales_[stage],
            paths_.add(rate, /*branches=*/2),
            generator));
      }
    }
    if (net.parallel_depth > 0) {
      const auto list =
          add_layer<torch::nn::ModuleListImpl>(*this, "parallel_blocks");
      for (std::int64_t i = 0; i < net.parallel_depth; ++i) {
        parallel_.push_back(append_layer<ParallelBlock>(
            *list, scales_, paths_.add(rate, /*branches=*/6), generator));
      }
    }
  }

  void init_weights(const at::Generator& generator) {
    for (const at::Tensor& token : cls_tokens_) {
      truncated_normal(token, kCoatInitStd, generator);
    }
    init_linear_layers(*this, kCoatInitStd, generator);
  }

  std::vector<CoatScale> scales_;
  std::vector<std::shared_ptr<ConvEmbed>> patch_embeds_;
  std::vector<at::Tensor> cls_tokens_; // [1, 1, C] each
  std::array<std::vector<std::shared_ptr<SerialBlock>>, 4> serial_;
  std::vector<std::shared_ptr<ParallelBlock>> parallel_;
  // Norms of the scales whose class tokens are classified.
  std::vector<std::shared_ptr<LayerNorm>> norms_;
  std::shared_ptr<CoatAggregate> aggregate_; // null without parallel blocks
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_coat = construct<Coat>;

} // namespace vitrain::networks

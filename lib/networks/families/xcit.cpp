#include "models/families/xcit.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "networks/families/xcit_blocks.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kXcitInitStd = 0.02;

// Patch embedding by convolutions of stride 2.
class ConvPatches : public torch::nn::Module {
 public:
  ConvPatches(
      std::int64_t channels,
      const models::XcitSpec& net,
      const at::Generator& generator) {
    const auto proj = add_layer<torch::nn::Module>(*this, "proj");
    std::int64_t in = channels;
    // The last convolution has the full width; each earlier one has half the
    // width of the next.
    for (std::int64_t left = net.patch_size / 2; left > 0; left /= 2) {
      const std::int64_t out = net.embed_dim / left;
      const auto half = padded_shape(in, out, /*kernel=*/3, /*stride=*/2);
      // Numbers include the activations, which have no parameters.
      const auto step = add_layer<torch::nn::Module>(
          *proj, std::to_string(2 * steps_.size()));
      const auto conv = add_layer<Conv2d>(*step, "0", half, generator);
      conv->use_channels_last();
      steps_.emplace_back(conv, add_layer<BatchNorm2d>(*step, "1", out));
      in = out;
    }
  }

  // [N, C, H, W] -> [N, T, C]
  at::Tensor forward(const at::Tensor& images) const {
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto& [conv, norm] = steps_[i];
      x = norm_only(*norm, (*conv)(i > 0 ? at::gelu(x) : x));
    }
    return x.permute({0, 2, 3, 1}).flatten(1, 2).contiguous();
  }

 private:
  std::vector<std::pair<std::shared_ptr<Conv2d>, std::shared_ptr<BatchNorm2d>>>
      steps_;
};

constexpr std::int64_t kWaves = 32;

// Returns, in turn, sines and cosines (Vaswani et al., "Attention is all you
// need", 2017) of the positions along a side, scaled to values above 0, up to 2
// pi: [side, kWaves] doubles.
at::Tensor waves(std::int64_t side) {
  constexpr double kTemperature = 10000.0;
  constexpr double kEps = 1e-6;
  at::Tensor table = at::empty({side, kWaves}, at::kDouble);
  auto* out = table.data_ptr<double>();
  for (std::int64_t i = 0; i < side; ++i) {
    const double position = static_cast<double>(i + 1) /
        (static_cast<double>(side) + kEps) * 2.0 * std::numbers::pi;
    for (std::int64_t k = 0; k < kWaves; k += 2) {
      const double x = position /
          std::pow(kTemperature,
                   static_cast<double>(k) / static_cast<double>(kWaves));
      *out++ = std::sin(x);
      *out++ = std::cos(x);
    }
  }
  return table;
}

// Position embeddings of a grid: a projection of the concatenated waves() of
// rows and columns.
class GridPositions : public torch::nn::Module {
 public:
  GridPositions(
      const ImageSize& grid,
      std::int64_t width,
      const at::Generator& generator)
      : rows_(waves(grid.height)), columns_(waves(grid.width)) {
    const Conv2d::Shape shape{.in = 2 * kWaves, .out = width, .bias = true};
    token_projection_ =
        add_layer<Conv2d>(*this, "token_projection", shape, generator);
  }

  // Returns [T, C]. The projection is computed for rows and columns separately
  // and added.
  at::Tensor forward() {
    const at::Tensor weight = token_projection_->weight.flatten(1);
    const auto options = weight.options().requires_grad(false);
    rows_ = rows_.to(options);
    columns_ = columns_.to(options);
    const auto parts = weight.split(kWaves, /*dim=*/1);
    const at::Tensor down =
        at::linear(rows_, parts[0], token_projection_->bias);
    const at::Tensor right = at::linear(columns_, parts[1]);
    return (down.unsqueeze(1) + right.unsqueeze(0)).flatten(0, 1);
  }

 private:
  at::Tensor rows_; // [H, kWaves]
  at::Tensor columns_; // [W, kWaves]
  std::shared_ptr<Conv2d> token_projection_;
};

class Xcit : public ImageModel {
 public:
  Xcit(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::XcitSpec>();
    const std::int64_t width = net.embed_dim;
    grid_ = {
        spec.image_size.height / net.patch_size,
        spec.image_size.width / net.patch_size};
    cls_token_ =
        register_parameter("cls_token", new_weights({1, 1, width}, generator));
    patch_embed_ = add_layer<ConvPatches>(
        *this, "patch_embed", spec.channels, net, generator);
    pos_embed_ =
        add_layer<GridPositions>(*this, "pos_embed", grid_, width, generator);
    add_equal_blocks<models::XcitSpec>(
        "blocks", blocks_, net.depth, spec.drop_path, generator);
    add_equal_blocks<models::XcitSpec>(
        "cls_attn_blocks", class_blocks_, net.class_depth, 0.0, generator);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kXcitNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = patch_embed_->forward(images) + pos_embed_->forward();
    for (const auto& block : blocks_) {
      x = block->forward(x, grid_, drop);
    }
    XcitClassBlock::Tokens tokens{
        cls_token_.expand({images.size(0), -1, -1}), x};
    for (const auto& block : class_blocks_) {
      tokens = block->forward(tokens, block == class_blocks_.back(), drop);
    }
    return (*head_)((*norm_)(tokens.first.select(1, 0)));
  }

 private:
  // Samples the weights in timm's order.
  void init_weights(const at::Generator& generator) {
    truncated_normal(cls_token_, kXcitInitStd, generator);
    init_linear_layers(*this, kXcitInitStd, generator);
  }

  ImageSize grid_; // size of the token grid
  at::Tensor cls_token_; // [1, 1, C]
  std::shared_ptr<ConvPatches> patch_embed_;
  std::shared_ptr<GridPositions> pos_embed_;
  std::vector<std::shared_ptr<XcitBlock>> blocks_;
  std::vector<std::shared_ptr<XcitClassBlock>> class_blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_xcit = construct<Xcit>;

} // namespace vitrain::networks

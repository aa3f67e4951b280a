#include "models/families/pvt_v2.h"

#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Tokens are images [N, H, W, C]: convolutions use the same memory as
// channels_last.
namespace vitrain::networks {
namespace {

using models::PvtV2Spec;

constexpr double kPvtNormEps = 1e-6;
// Used by norms directly after convolutions.
constexpr double kPvtEmbedNormEps = 1e-5;
constexpr double kPvtInitStd = 0.02;
// Side of the pooled image whose pixels are keys and values in linear
// attention.
constexpr std::int64_t kPooledSide = 7;

// Averages each image over a 7 x 7 grid of regions: [N, H, W, C] -> [N, 7, 7,
// C].
at::Tensor pool_tokens(const at::Tensor& x) {
  if (x.is_meta()) { // the operator has no meta kernel
    return at::empty(
        {x.size(0), kPooledSide, kPooledSide, x.size(3)}, x.options());
  }
  return at::adaptive_avg_pool2d(
             x.permute({0, 3, 1, 2}), {kPooledSide, kPooledSide})
      .permute({0, 2, 3, 1})
      .contiguous();
}

// Sizes of one stage.
struct PvtWidths {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t hidden = 0;
  std::int64_t reduction = 1;
  bool linear = false;

  PvtWidths(const PvtV2Spec& net, std::size_t stage)
      : width(net.widths[stage]),
        heads(net.heads[stage]),
        hidden(net.mlp_ratios[stage] * width),
        reduction(net.reductions[stage]),
        linear(net.linear) {}
};

// Attention of every token to an image of the tokens. In linear attention the
// image is pooled; otherwise a convolution reduces it, unless the stage's
// reduction is 1.
class PvtAttention : public torch::nn::Module {
 public:
  PvtAttention(const PvtWidths& widths, const at::Generator& generator)
      : heads_(widths.heads), linear_(widths.linear) {
    const std::int64_t width = widths.width;
    q_ = add_layer<Linear>(*this, "q", width, width, generator);
    kv_ = add_layer<Linear>(*this, "kv", width, 2 * width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
    const std::int64_t side = linear_ ? 1 : widths.reduction;
    if (linear_ || side > 1) {
      sr_ = add_layer<Conv2d>(
          *this, "sr", patch_shape(width, width, side), generator);
      norm_ = add_layer<LayerNorm>(*this, "norm", width, kPvtEmbedNormEps);
    }
  }

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const auto parts =
        (*kv_)(seen(x)).flatten(1, 2).split(x.size(3), /*dim=*/-1);
    const at::Tensor query = (*q_)(x).flatten(1, 2);
    const at::Tensor found = attention(
        split_heads(query, heads_),
        split_heads(parts[0], heads_),
        split_heads(parts[1], heads_));
    return (*proj_)(found.transpose(1, 2).reshape(x.sizes()));
  }

 private:
  at::Tensor seen(const at::Tensor& x) const {
    if (linear_) {
      return at::gelu((*norm_)(sr_->pointwise(pool_tokens(x))));
    }
    return sr_ ? (*norm_)(sr_->over_pixels(x)) : x;
  }

  std::int64_t heads_;
  bool linear_;
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> kv_;
  std::shared_ptr<Linear> proj_;
  // Null, as norm_, if the image of the keys and values is neither pooled nor
  // reduced.
  std::shared_ptr<Conv2d> sr_;
  std::shared_ptr<LayerNorm> norm_;
};

// MLP with a depthwise convolution over the hidden values.
class PvtMlp : public torch::nn::Module {
 public:
  PvtMlp(const PvtWidths& widths, const at::Generator& generator)
      : linear_(widths.linear) {
    const std::int64_t hidden = widths.hidden;
    fc1_ = add_layer<Linear>(*this, "fc1", widths.width, hidden, generator);
    dwconv_ = add_layer<Conv2d>(
        *this, "dwconv", depthwise_shape(hidden, 3), generator);
    fc2_ = add_layer<Linear>(*this, "fc2", hidden, widths.width, generator);
  }

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const {
    at::Tensor hidden = (*fc1_)(x);
    if (linear_) {
      hidden = activate(hidden, Activation::kRelu);
    }
    return (*fc2_)(at::gelu(dwconv_->over_pixels(hidden)));
  }

 private:
  bool linear_; // linear attention adds a ReLU to the MLP
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Conv2d> dwconv_;
  std::shared_ptr<Linear> fc2_;
};

class PvtBlock : public torch::nn::Module {
 public:
  PvtBlock(
      const PvtWidths& widths,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    norm1_ = add_layer<LayerNorm>(*this, "norm1", widths.width, kPvtNormEps);
    attn_ = add_layer<PvtAttention>(*this, "attn", widths, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", widths.width, kPvtNormEps);
    mlp_ = add_layer<PvtMlp>(*this, "mlp", widths, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor y = add_branch(x, (*attn_)((*norm1_)(x)), drop, row_);
    return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 1);
  }

 private:
  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<PvtAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<PvtMlp> mlp_;
};

class PvtStage : public torch::nn::Module {
 public:
  PvtStage(
      const PvtV2Spec& net,
      std::size_t stage,
      const std::vector<std::int64_t>& rows,
      const at::Generator& generator) {
    const PvtWidths widths(net, stage);
    if (stage > 0) {
      downsample_ = add_layer<ConvEmbed>(
          *this,
          "downsample",
          padded_shape(
              net.widths[stage - 1], widths.width, /*kernel=*/3, /*stride=*/2)
              .with_bias(),
          kPvtEmbedNormEps,
          generator);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const std::int64_t row : rows) {
      blocks_.push_back(append_layer<PvtBlock>(*list, widths, row, generator));
    }
    norm_ = add_layer<LayerNorm>(*this, "norm", widths.width, kPvtNormEps);
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? (*downsample_)(x) : x;
    return (*norm_)(run_blocks(x, {}, blocks_, drop));
  }

 private:
  std::shared_ptr<ConvEmbed> downsample_; // null in the first stage
  std::vector<std::shared_ptr<PvtBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
};

class PvtV2 : public ImageModel {
 public:
  PvtV2(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<PvtV2Spec>();
    // Overlapping patch embedding: a 7 x 7 convolution of stride 4.
    patch_embed_ = add_layer<ConvEmbed>(
        *this,
        "patch_embed",
        padded_shape(spec.channels, net.widths[0], /*kernel=*/7, /*stride=*/4)
            .with_bias(),
        kPvtEmbedNormEps,
        generator);
    const auto rows =
        paths_.add_stages(net.depths, spec.drop_path, /*branches=*/2);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "stages");
    for (std::size_t stage = 0; stage < rows.size(); ++stage) {
      stages_.push_back(
          append_layer<PvtStage>(*list, net, stage, rows[stage], generator));
    }
    head_ = add_layer<Linear>(
        *this, "head", net.widths.back(), spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    x = (*patch_embed_)(x.permute({0, 2, 3, 1}));
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*head_)(x.flatten(1, 2).mean(1));
  }

 private:
  void init_weights(const at::Generator& generator) {
    // timm samples in the order of registration.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* linear = module->as<Linear>()) {
        truncated_normal(linear->weight, kPvtInitStd, generator);
        constant(linear->bias, 0.0);
      } else if (auto* conv = module->as<Conv2d>()) {
        normal_by_group_fan_out(*conv, generator);
        conv->use_channels_last();
      }
    }
  }

  std::shared_ptr<ConvEmbed> patch_embed_;
  std::vector<std::shared_ptr<PvtStage>> stages_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_pvt_v2 = construct<PvtV2>;

} // namespace vitrain::networks

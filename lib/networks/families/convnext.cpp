#include "models/families/convnext.h"

#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "models/families/multiple_of_8.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Activations are [N, H, W, C]: norms and MLPs work on the last dimension, and
// convolutions use the same memory as channels_last.
namespace vitrain::networks {
namespace {

constexpr double kLayerScale = 1e-6;
constexpr double kConvNeXtInitStd = 0.02;

// A linear layer over the channels. Its weight is [out, in], or [out, in, 1, 1]
// if `conv`.
class ChannelLayer {
 public:
  ChannelLayer(
      torch::nn::Module& owner,
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      bool conv,
      at::Generator generator) {
    if (conv) {
      const Conv2d::Shape shape{.in = in, .out = out, .bias = true};
      conv_ = add_layer<Conv2d>(owner, name, shape, generator);
    } else {
      linear_ = add_layer<Linear>(owner, name, in, out, generator);
    }
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return conv_ ? conv_->pointwise(x) : (*linear_)(x);
  }

 private:
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<Linear> linear_;
};

// Global response normalisation (Woo et al., 2023): x + bias + weight * x * n,
// where n is each channel's L2 norm over the image, divided by the mean of
// these norms.
class GlobalResponseNorm : public torch::nn::Module {
 public:
  GlobalResponseNorm(std::int64_t width, const at::Generator& generator)
      : weight_(add_constant(*this, "weight", {width}, 0.0, generator)),
        bias_(add_constant(*this, "bias", {width}, 0.0, generator)) {}

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor norm = at::norm(x, 2, {1, 2}, /*keepdim=*/true);
    const at::Tensor ratio = norm / (norm.mean(-1, /*keepdim=*/true) + kGrnEps);
    return x + at::addcmul(bias_, weight_, x * ratio);
  }

 private:
  static constexpr double kGrnEps = 1e-6;
  at::Tensor weight_; // [C]
  at::Tensor bias_; // [C]
};

class ConvNeXtMlp : public torch::nn::Module {
 public:
  ConvNeXtMlp(
      std::int64_t width,
      const models::ConvNeXtSpec& net,
      const at::Generator& generator)
      : fc1_(*this, "fc1", width, 4 * width, net.conv_mlp, generator),
        grn_(
            net.v2 ? add_layer<GlobalResponseNorm>(
                         *this,
                         "grn",
                         4 * width,
                         generator)
                   : nullptr),
        fc2_(*this, "fc2", 4 * width, width, net.conv_mlp, generator) {}

  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor hidden = at::gelu(fc1_(x));
    return fc2_(grn_ ? (*grn_)(hidden) : hidden);
  }

 private:
  ChannelLayer fc1_;
  std::shared_ptr<GlobalResponseNorm> grn_;
  ChannelLayer fc2_;
};

class ConvNeXtBlock : public torch::nn::Module {
 public:
  ConvNeXtBlock(
      std::int64_t width,
      const models::ConvNeXtSpec& net,
      std::int64_t row,
      at::Generator generator)
      : row_(row) {
    if (!net.v2) {
      gamma_ = add_constant(*this, "gamma", {width}, kLayerScale, generator);
    }
    conv_dw_ = add_layer<Conv2d>(
        *this, "conv_dw", depthwise_shape(width, 7), generator);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, net.norm_eps);
    mlp_ = add_layer<ConvNeXtMlp>(*this, "mlp", width, net, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor y = (*mlp_)((*norm_)(conv_dw_->over_pixels(x)));
    return add_branch(x, gamma_.defined() ? y * gamma_ : y, drop, row_);
  }

 private:
  std::int64_t row_; // row of drop factors
  at::Tensor gamma_; // [C]; undefined in V2
  std::shared_ptr<Conv2d> conv_dw_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<ConvNeXtMlp> mlp_;
};

// Convolutions and norms, named "0", "1", ..., that reduce the image size.
class Downsampling : public torch::nn::Module {
 public:
  void add(const Conv2d::Shape& shape, const at::Generator& generator) {
    layers_.emplace_back(
        add_layer<Conv2d>(*this, next_name(), shape, generator), nullptr);
  }
  void add_norm(std::int64_t width, double eps) {
    layers_.emplace_back(
        nullptr, add_layer<LayerNorm>(*this, next_name(), width, eps));
  }

  at::Tensor forward(at::Tensor x) const {
    for (const auto& [conv, norm] : layers_) {
      x = conv ? conv->over_pixels(x) : (*norm)(x);
    }
    return x;
  }

 private:
  std::string next_name() const { return std::to_string(layers_.size()); }

  std::vector<std::pair<std::shared_ptr<Conv2d>, std::shared_ptr<LayerNorm>>>
      layers_;
};

std::shared_ptr<Downsampling> make_stem(
    torch::nn::Module& owner,
    std::int64_t channels,
    const models::ConvNeXtSpec& net,
    const at::Generator& generator) {
  using Stem = models::ConvNeXtSpec::Stem;
  const auto stem = add_layer<Downsampling>(owner, "stem");
  const std::int64_t width = net.widths[0];
  if (net.stem == Stem::kPatch) {
    stem->add(patch_shape(channels, width, 4), generator);
  } else {
    const std::int64_t middle = net.stem == Stem::kTiered
        ? models::multiple_of_8(static_cast<double>(width) / 2.0)
        : width;
    for (const auto& [in, out] :
         {std::pair(channels, middle), std::pair(middle, width)}) {
      stem->add(
          padded_shape(in, out, /*kernel=*/3, /*stride=*/2).with_bias(),
          generator);
    }
  }
  stem->add_norm(width, net.norm_eps);
  return stem;
}

class ConvNeXtStage : public torch::nn::Module {
 public:
  ConvNeXtStage(
      const models::ConvNeXtSpec& net,
      std::size_t stage,
      const std::vector<std::int64_t>& rows,
      const at::Generator& generator) {
    const std::int64_t width = net.widths[stage];
    if (stage > 0) {
      const std::int64_t in = net.widths[stage - 1];
      downsample_ = add_layer<Downsampling>(*this, "downsample");
      downsample_->add_norm(in, net.norm_eps);
      downsample_->add(patch_shape(in, width, 2), generator);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const std::int64_t row : rows) {
      blocks_.push_back(
          append_layer<ConvNeXtBlock>(*list, width, net, row, generator));
    }
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? downsample_->forward(x) : x;
    return run_blocks(x, {}, blocks_, drop);
  }

 private:
  std::shared_ptr<Downsampling> downsample_;
  std::vector<std::shared_ptr<ConvNeXtBlock>> blocks_;
};

// Classifier head: [N, H, W, C] -> [N, num_classes].
class ConvNeXtHead : public torch::nn::Module {
 public:
  ConvNeXtHead(
      const models::ConvNeXtSpec& net,
      std::int64_t classes,
      const at::Generator& generator) {
    std::int64_t width = net.widths.back();
    if (!net.head_norm_first) {
      norm_ = add_layer<LayerNorm>(*this, "norm", width, net.norm_eps);
    }
    if (net.head_hidden > 0) {
      const auto hidden = add_layer<torch::nn::Module>(*this, "pre_logits");
      hidden_ =
          add_layer<Linear>(*hidden, "fc", width, net.head_hidden, generator);
      width = net.head_hidden;
    }
    fc_ = add_layer<Linear>(*this, "fc", width, classes, generator);
  }

  at::Tensor operator()(const at::Tensor& images) const {
    at::Tensor x = images.flatten(1, 2).mean(1);
    x = norm_ ? (*norm_)(x) : x;
    x = hidden_ ? at::gelu((*hidden_)(x)) : x;
    return (*fc_)(x);
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> hidden_;
  std::shared_ptr<Linear> fc_;
};

class ConvNeXt : public ImageModel {
 public:
  ConvNeXt(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::ConvNeXtSpec>();
    stem_ = make_stem(*this, spec.channels, net, generator);
    const auto rows = paths_.add_stages(net.depths, spec.drop_path);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "stages");
    for (std::size_t stage = 0; stage < rows.size(); ++stage) {
      stages_.push_back(append_layer<ConvNeXtStage>(
          *list, net, stage, rows[stage], generator));
    }
    if (net.head_norm_first) {
      norm_pre_ = add_layer<LayerNorm>(
          *this, "norm_pre", net.widths.back(), net.norm_eps);
    }
    head_ = add_layer<ConvNeXtHead>(
        *this, "head", net, spec.num_classes, generator);
    init_channels_last_layers(*this, kConvNeXtInitStd, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    x = stem_->forward(x.permute({0, 2, 3, 1}));
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*head_)(norm_pre_ ? (*norm_pre_)(x) : x);
  }

 private:
  std::shared_ptr<Downsampling> stem_;
  std::vector<std::shared_ptr<ConvNeXtStage>> stages_;
  std::shared_ptr<LayerNorm> norm_pre_;
  std::shared_ptr<ConvNeXtHead> head_;
};

} // namespace

const MakeNetwork make_convnext = construct<ConvNeXt>;

} // namespace vitrain::networks

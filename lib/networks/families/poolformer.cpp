#include "models/families/poolformer.h"

#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Activations are [N, H, W, C]: MLPs work on the last dimension, and
// convolutions, norms and pooling use the same memory as channels_last.
namespace vitrain::networks {
namespace {

using models::PoolFormerSpec;

constexpr double kPoolNormEps = 1e-5; // of the norms of version 1
// Used by the norms of version 2, and the last norm of both versions.
constexpr double kPoolNormEpsV2 = 1e-6;
constexpr double kPoolInitStd = 0.02;
// First stage of version 2 whose residual connections have a learned scale.
constexpr std::size_t kFirstScaled = 2;

// LayerNorm over the channels, without bias.
class ChannelNorm : public torch::nn::Module {
 public:
  ChannelNorm(std::int64_t width, const at::Generator& generator)
      : weight_(add_constant(*this, "weight", {width}, 1.0, generator)) {}

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const {
    return x.is_meta()
        ? at::empty_like(x) // no meta kernel
        : at::layer_norm(x, weight_.sizes(), weight_, {}, kPoolNormEpsV2);
  }

 private:
  at::Tensor weight_; // [C]
};

// Learned factor per channel, "scale".
class ChannelScale : public torch::nn::Module {
 public:
  ChannelScale(std::int64_t width, double value, const at::Generator& generator)
      : scale_(add_constant(*this, "scale", {width}, value, generator)) {}

  at::Tensor operator()(const at::Tensor& x) const { return x * scale_; }

 private:
  at::Tensor scale_; // [C]
};

// Returns s relu(x)^2 + b with learned scalars s and b (Yu et al., 2024,
// section 3.2).
class StarRelu : public torch::nn::Module {
 public:
  explicit StarRelu(const at::Generator& generator)
      : scale_(add_constant(*this, "scale", {1}, 1.0, generator)),
        bias_(add_constant(*this, "bias", {1}, 0.0, generator)) {}

  at::Tensor operator()(const at::Tensor& x) const {
    return at::addcmul(bias_, scale_, activate(x, Activation::kRelu).square());
  }

 private:
  at::Tensor scale_; // [1]
  at::Tensor bias_; // [1]
};

// MLP whose layers are convolutions with kernel size 1.
class PoolMlp : public torch::nn::Module {
 public:
  PoolMlp(std::int64_t width, bool v2, const at::Generator& generator) {
    const std::int64_t hidden = 4 * width;
    fc1_ = add_layer<Conv2d>(
        *this,
        "fc1",
        Conv2d::Shape{.in = width, .out = hidden, .bias = !v2},
        generator);
    if (v2) {
      act_ = add_layer<StarRelu>(*this, "act", generator);
    }
    fc2_ = add_layer<Conv2d>(
        *this,
        "fc2",
        Conv2d::Shape{.in = hidden, .out = width, .bias = !v2},
        generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor hidden = fc1_->pointwise(x);
    return fc2_->pointwise(act_ ? (*act_)(hidden) : at::gelu(hidden));
  }

 private:
  std::shared_ptr<Conv2d> fc1_;
  std::shared_ptr<StarRelu> act_; // null: GELU
  std::shared_ptr<Conv2d> fc2_;
};

// Returns the mean of each pixel's 3 x 3 neighbourhood, without pixels outside
// the image, minus the pixel: [N, H, W, C] -> [N, H, W, C].
at::Tensor pool_neighbours(const at::Tensor& x) {
  return at::avg_pool2d(
             x.permute({0, 3, 1, 2}),
             /*kernel_size=*/3,
             /*stride=*/1,
             /*padding=*/1,
             /*ceil_mode=*/false,
             /*count_include_pad=*/false)
             .permute({0, 2, 3, 1})
             .contiguous() -
      x;
}

class PoolFormerBlock : public torch::nn::Module {
 public:
  PoolFormerBlock(
      const PoolFormerSpec& net,
      std::size_t stage,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    const std::int64_t width = net.widths[stage];
    const auto norm = [&](const char* name) {
      return add_layer<ImageNorm>(
          *this,
          name,
          width,
          net.v2 ? kPoolNormEpsV2 : kPoolNormEps,
          generator,
          /*with_bias=*/!net.v2);
    };
    const auto scale = [&](const char* name, double value, bool wanted) {
      return wanted
          ? add_layer<ChannelScale>(*this, name, width, value, generator)
          : nullptr;
    };
    const bool scaled_stream = net.v2 && stage >= kFirstScaled;
    norm1_ = norm("norm1");
    layer_scale1_ = scale("layer_scale1", net.layer_scale, !net.v2);
    res_scale1_ = scale("res_scale1", 1.0, scaled_stream);
    norm2_ = norm("norm2");
    mlp_ = add_layer<PoolMlp>(*this, "mlp", width, net.v2, generator);
    layer_scale2_ = scale("layer_scale2", net.layer_scale, !net.v2);
    res_scale2_ = scale("res_scale2", 1.0, scaled_stream);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const auto times = [](const std::shared_ptr<ChannelScale>& scale,
                          const at::Tensor& values) {
      return scale ? (*scale)(values) : values;
    };
    const at::Tensor y = add_branch(
        times(res_scale1_, x),
        times(layer_scale1_, pool_neighbours((*norm1_)(x).contiguous())),
        drop,
        row_);
    return add_branch(
        times(res_scale2_, y),
        times(layer_scale2_, (*mlp_)((*norm2_)(y).contiguous())),
        drop,
        row_ + 1);
  }

 private:
  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<ImageNorm> norm1_;
  std::shared_ptr<ChannelScale> layer_scale1_; // the scales are null if absent
  std::shared_ptr<ChannelScale> res_scale1_;
  std::shared_ptr<ImageNorm> norm2_;
  std::shared_ptr<PoolMlp> mlp_;
  std::shared_ptr<ChannelScale> layer_scale2_;
  std::shared_ptr<ChannelScale> res_scale2_;
};

// A convolution that reduces the image size. Version 2 adds a norm: after the
// convolution in the stem, before it elsewhere.
class PoolFormerShrink : public torch::nn::Module {
 public:
  PoolFormerShrink(
      const Conv2d::Shape& shape,
      bool with_norm,
      bool is_stem,
      const at::Generator& generator)
      : is_stem_(is_stem) {
    conv_ = add_layer<Conv2d>(*this, "conv", shape, generator);
    if (with_norm) {
      norm_ = add_layer<ChannelNorm>(
          *this, "norm", is_stem ? shape.out : shape.in, generator);
    }
  }

  // [N, H, W, in] -> [N, H', W', out]
  at::Tensor operator()(const at::Tensor& x) const {
    if (!norm_) {
      return conv_->over_pixels(x);
    }
    return is_stem_ ? (*norm_)(conv_->over_pixels(x))
                    : conv_->over_pixels((*norm_)(x));
  }

 private:
  bool is_stem_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<ChannelNorm> norm_; // null in version 1
};

class PoolFormerStage : public torch::nn::Module {
 public:
  PoolFormerStage(
      const PoolFormerSpec& net,
      std::size_t stage,
      const std::vector<std::int64_t>& rows,
      const at::Generator& generator) {
    const std::int64_t in = net.widths[stage > 0 ? stage - 1 : 0];
    const std::int64_t width = net.widths[stage];
    // Timm's rule; true for every stage but the first of these networks.
    if (in != width) {
      const Conv2d::Shape shape =
          padded_shape(in, width, /*kernel=*/3, /*stride=*/2).with_bias();
      downsample_ = add_layer<PoolFormerShrink>(
          *this, "downsample", shape, net.v2, /*is_stem=*/false, generator);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const std::int64_t row : rows) {
      blocks_.push_back(
          append_layer<PoolFormerBlock>(*list, net, stage, row, generator));
    }
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? (*downsample_)(x) : x;
    return run_blocks(x, {}, blocks_, drop);
  }

 private:
  // Null if the width does not change.
  std::shared_ptr<PoolFormerShrink> downsample_;
  std::vector<std::shared_ptr<PoolFormerBlock>> blocks_;
};

class PoolFormer : public ImageModel {
 public:
  PoolFormer(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<PoolFormerSpec>();
    const Conv2d::Shape stem{
        .in = spec.channels,
        .out = net.widths[0],
        .kernel = 7,
        .stride = 4,
        .padding = 2,
        .bias = true};
    stem_ = add_layer<PoolFormerShrink>(
        *this, "stem", stem, net.v2, /*is_stem=*/true, generator);
    const auto rows =
        paths_.add_stages(net.depths, spec.drop_path, /*branches=*/2);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "stages");
    for (std::size_t stage = 0; stage < rows.size(); ++stage) {
      stages_.push_back(append_layer<PoolFormerStage>(
          *list, net, stage, rows[stage], generator));
    }
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    const std::int64_t width = net.widths.back();
    norm_ = add_layer<LayerNorm>(*head, "norm", width, kPoolNormEpsV2);
    fc_ = add_layer<Linear>(*head, "fc", width, spec.num_classes, generator);
    init_channels_last_layers(*this, kPoolInitStd, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    x = (*stem_)(x.permute({0, 2, 3, 1}));
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*fc_)((*norm_)(x.flatten(1, 2).mean(1)));
  }

 private:
  std::shared_ptr<PoolFormerShrink> stem_;
  std::vector<std::shared_ptr<PoolFormerStage>> stages_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_poolformer = construct<PoolFormer>;

} // namespace vitrain::networks

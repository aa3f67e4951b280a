#include "models/families/efficientnet.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using Spec = models::EfficientNetSpec;

// A padded convolution, which keeps the size at stride 1, and a BatchNorm. Both
// are registered in `owner`, under two names.
class ConvNorm {
 public:
  struct Shape {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    bool depthwise = false;
  };

  ConvNorm(
      torch::nn::Module& owner,
      const std::string& conv,
      const std::string& norm,
      const Shape& shape,
      const Spec& net,
      const at::Generator& generator)
      : shape_(shape), pads_(net.same_padding && shape.stride > 1) {
    conv_ = add_layer<Conv2d>(
        owner,
        conv,
        Conv2d::Shape{
            .in = shape.in,
            .out = shape.out,
            .kernel = shape.kernel,
            .stride = shape.stride,
            .padding = pads_ ? 0 : (shape.kernel - 1) / 2,
            .groups = shape.depthwise ? shape.in : 1},
        generator);
    norm_ = add_layer<BatchNorm2d>(owner, norm, shape.out, net.norm_eps);
  }

  Fork operator()(
      const at::Tensor& x,
      Nonlinearity after,
      const at::Tensor& residual = {}) const {
    return norm_act(*norm_, (*conv_)(pads_ ? padded(x) : x), after, residual);
  }

 private:
  // Applies TensorFlow's "SAME" padding, for ceil(side / stride) outputs per
  // side; if the number of zeros is odd, the extra one is at the end.
  at::Tensor padded(const at::Tensor& x) const {
    const auto zeros = [&](std::int64_t side) {
      const std::int64_t results = (side + shape_.stride - 1) / shape_.stride;
      return std::max<std::int64_t>(
          (results - 1) * shape_.stride + shape_.kernel - side, 0);
    };
    const std::int64_t rows = zeros(x.size(2));
    const std::int64_t columns = zeros(x.size(3));
    return at::constant_pad_nd(
        x, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
  }

  Shape shape_;
  bool pads_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

// Block of any type: convolutions with BatchNorm, each except the last followed
// by a nonlinearity, and squeeze-excitation before the last one.
class MobileBlock : public torch::nn::Module {
 public:
  MobileBlock(
      const Spec& net,
      const Spec::Stage& stage,
      std::int64_t in,
      std::int64_t stride,
      at::Generator generator)
      : net_(net),
        after_(net.relu6 ? Nonlinearity::kRelu6 : Nonlinearity::kSilu),
        plain_(stage.block == Spec::Block::kPlain),
        skip_(stride == 1 && in == stage.width) {
    const std::int64_t hidden = in * stage.expansion;
    const std::int64_t out = stage.width;
    const std::int64_t kernel = stage.kernel;
    switch (stage.block) {
      case Spec::Block::kSeparable:
        add("conv_dw", {in, in, kernel, stride, true}, generator);
        squeeze(stage, in, in, generator);
        add("conv_pw", {in, out}, generator);
        break;
      case Spec::Block::kInverted:
        add("conv_pw", {in, hidden}, generator);
        add("conv_dw", {hidden, hidden, kernel, stride, true}, generator);
        squeeze(stage, in, hidden, generator);
        add("conv_pwl", {hidden, out}, generator);
        break;
      case Spec::Block::kFused:
        add("conv_exp", {in, hidden, kernel, stride}, generator);
        squeeze(stage, in, hidden, generator);
        add("conv_pwl", {hidden, out}, generator);
        break;
      case Spec::Block::kPlain:
        add("conv", {in, out, kernel, stride}, generator);
        break;
    }
  }

  // True if the block's input is added to its output, so that stochastic depth
  // can drop the block.
  bool has_skip() const { return skip_; }
  void set_row(std::int64_t row) { row_ = row; }

  Fork forward(const Fork& x, const at::Tensor& drop) const {
    at::Tensor y = x.trunk;
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) {
      y = convs_[i](y, after_).trunk;
    }
    y = squeeze_ ? (*squeeze_)(y) : y;
    const Nonlinearity last = plain_ ? after_ : Nonlinearity::kNone;
    if (!skip_) {
      return convs_.back()(y, last);
    }
    if (!drop.defined() && !plain_) {
      return convs_.back()(y, last, x.branch);
    }
    y = add_branch(x.branch, convs_.back()(y, last).trunk, drop, row_);
    return {y, y};
  }

 private:
  void add(
      const std::string& name,
      const ConvNorm::Shape& shape,
      const at::Generator& generator) {
    const std::string norm = "bn" + std::to_string(convs_.size() + 1);
    convs_.emplace_back(*this, name, norm, shape, net_, generator);
  }

  void squeeze(
      const Spec::Stage& stage,
      std::int64_t in,
      std::int64_t width,
      const at::Generator& generator) {
    if (stage.squeeze) {
      squeeze_ = add_layer<SqueezeExcite>(
          *this,
          "se",
          width,
          in / 4,
          Nonlinearity::kSilu,
          generator,
          "conv_reduce",
          "conv_expand");
    }
  }

  Spec net_;
  Nonlinearity after_;
  bool plain_;
  bool skip_;
  std::int64_t row_ = 0; // row of drop factors
  std::vector<ConvNorm> convs_;
  std::shared_ptr<SqueezeExcite> squeeze_;
};

class EfficientNet : public ImageModel {
 public:
  EfficientNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec),
        after_(
            spec.get<Spec>().relu6 ? Nonlinearity::kRelu6
                                   : Nonlinearity::kSilu) {
    const auto& net = spec.get<Spec>();
    stem_ = std::make_unique<ConvNorm>(
        *this,
        "conv_stem",
        "bn1",
        ConvNorm::Shape{spec.channels, net.stem, 3, 2},
        net,
        generator);
    // timm's builder creates a layer only to inspect its arguments, which uses
    // random numbers.
    const SqueezeExcite probe(
        8, 8, Nonlinearity::kRelu, generator, "conv_reduce", "conv_expand");
    const std::int64_t channels = add_blocks(net, generator);
    head_ = std::make_unique<ConvNorm>(
        *this,
        "conv_head",
        "bn2",
        ConvNorm::Shape{channels, net.head},
        net,
        generator);
    classifier_ = add_layer<Linear>(
        *this, "classifier", net.head, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    Fork fork = (*stem_)(x, after_);
    for (const auto& block : blocks_) {
      fork = block->forward(fork, drop);
    }
    return (*classifier_)(mean_over_pixels((*head_)(fork.trunk, after_).trunk));
  }

 private:
  // Returns the number of output channels of the last block.
  std::int64_t add_blocks(const Spec& net, const at::Generator& generator) {
    const auto stages = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    std::int64_t channels = net.stem;
    for (const Spec::Stage& stage : net.stages) {
      if (stage.repeats == 0) {
        continue;
      }
      const auto list = append_layer<torch::nn::ModuleListImpl>(*stages);
      for (std::int64_t i = 0; i < stage.repeats; ++i) {
        const auto block = append_layer<MobileBlock>(
            *list, net, stage, channels, i == 0 ? stage.stride : 1, generator);
        if (block->has_skip()) {
          // As in timm, the rate of block i of n is drop_path * i / n.
          block->set_row(paths_.add(
              spec_.drop_path * static_cast<double>(blocks_.size()) /
              static_cast<double>(net.blocks())));
        }
        blocks_.push_back(block);
        channels = stage.width;
      }
    }
    return channels;
  }

  // Initialises weights as TensorFlow's networks
  // (timm/models/_efficientnet_builder.py, _init_weight_goog) and changes their
  // memory layout to channels_last.
  void init_weights(const at::Generator& generator) {
    // Samples in timm's order, the order of registration, into contiguous
    // weights.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        normal_by_group_fan_out(*conv, generator);
        conv->use_channels_last();
      } else if (auto* linear = module->as<Linear>()) {
        uniform(
            linear->weight,
            1.0 / std::sqrt(static_cast<double>(linear->weight.size(0))),
            generator);
        constant(linear->bias, 0.0);
      }
    }
  }

  Nonlinearity after_;
  std::unique_ptr<ConvNorm> stem_;
  std::vector<std::shared_ptr<MobileBlock>> blocks_;
  std::unique_ptr<ConvNorm> head_;
  std::shared_ptr<Linear> classifier_;
};

} // namespace

const MakeNetwork make_efficientnet = construct<EfficientNet>;

} // namespace vitrain::networks

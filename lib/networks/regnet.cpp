#include "models/families/regnet.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kRegNetHeadStd = 0.01;

// "conv" and "bn".
class ConvBn : public torch::nn::Module {
 public:
  ConvBn(const Conv2d::Shape& shape, const at::Generator& generator) {
    conv_ = add_layer<Conv2d>(*this, "conv", shape, generator);
    norm_ = add_layer<BatchNorm2d>(*this, "bn", shape.out);
  }

  Fork operator()(
      const at::Tensor& x,
      Nonlinearity after,
      const at::Tensor& residual = {}) const {
    return norm_act(*norm_, (*conv_)(x), after, residual);
  }

  const BatchNorm2d& norm() const { return *norm_; }

 private:
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

class RegNetBlock : public torch::nn::Module {
 public:
  RegNetBlock(
      const models::RegNetSpec& net,
      std::size_t stage,
      std::int64_t in,
      std::int64_t stride,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    const std::int64_t width = net.widths[stage];
    const auto add = [&](const char* name, const Conv2d::Shape& shape) {
      return add_layer<ConvBn>(*this, name, shape, generator);
    };
    conv1_ = add("conv1", {.in = in, .out = width});
    conv2_ =
        add("conv2",
            {.in = width,
             .out = width,
             .kernel = 3,
             .stride = stride,
             .padding = 1,
             .groups = width / net.group_widths[stage]});
    if (net.squeeze) {
      // timm rounds a quarter to the nearest, and a half to the even number.
      const auto reduced = std::lrint(static_cast<double>(in) / 4.0);
      squeeze_ = add_layer<SqueezeExcite>(
          *this,
          "se",
          width,
          reduced,
          Nonlinearity::kRelu,
          generator,
          "fc1",
          "fc2");
    }
    conv3_ = add("conv3", {.in = width, .out = width});
    if (in != width || stride != 1) {
      downsample_ =
          add("downsample", {.in = in, .out = width, .stride = stride});
    }
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const {
    at::Tensor y = (*conv1_)(x.trunk, Nonlinearity::kRelu).trunk;
    y = (*conv2_)(y, Nonlinearity::kRelu).trunk;
    y = squeeze_ ? (*squeeze_)(y) : y;
    const at::Tensor shortcut = downsample_
        ? (*downsample_)(x.branch, Nonlinearity::kNone).trunk
        : x.branch;
    if (!drop.defined()) {
      return (*conv3_)(y, Nonlinearity::kRelu, shortcut);
    }
    y = (*conv3_)(y, Nonlinearity::kNone).trunk;
    y = add_branch(shortcut, y, drop, row_).relu_();
    return {y, y};
  }

  const BatchNorm2d& last_norm() const { return conv3_->norm(); }

 private:
  std::int64_t row_; // among the factors of what is dropped
  std::shared_ptr<ConvBn> conv1_;
  std::shared_ptr<ConvBn> conv2_;
  std::shared_ptr<SqueezeExcite> squeeze_;
  std::shared_ptr<ConvBn> conv3_;
  std::shared_ptr<ConvBn> downsample_;
};

class RegNet : public ImageModel {
 public:
  RegNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::RegNetSpec>();
    const Conv2d::Shape stem{
        .in = spec.channels,
        .out = net.stem,
        .kernel = 3,
        .stride = 2,
        .padding = 1};
    stem_ = add_layer<ConvBn>(*this, "stem", stem, generator);
    const std::int64_t channels = add_stages(net, generator);
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Linear>(*head, "fc", channels, spec.num_classes, generator);
    start(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    Fork fork = (*stem_)(
        images.contiguous(at::MemoryFormat::ChannelsLast), Nonlinearity::kRelu);
    for (const auto& block : blocks_) {
      fork = block->forward(fork, drop);
    }
    return (*fc_)(mean_over_pixels(fork.trunk));
  }

 private:
  // "s1.b1" and so on; returns the number of output channels.
  std::int64_t add_stages(
      const models::RegNetSpec& net,
      const at::Generator& generator) {
    const auto rows = paths_.add_stages(net.depths, spec_.drop_path);
    std::int64_t channels = net.stem;
    for (std::size_t stage = 0; stage < net.depths.size(); ++stage) {
      const auto part =
          add_layer<torch::nn::Module>(*this, fmt::format("s{}", stage + 1));
      for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
        blocks_.push_back(add_layer<RegNetBlock>(
            *part,
            fmt::format("b{}", i + 1),
            net,
            stage,
            channels,
            i == 0 ? 2 : 1,
            rows[stage][static_cast<std::size_t>(i)],
            generator));
        channels = net.widths[stage];
      }
    }
    return channels;
  }

  // timm/models/regnet.py, _init_weights, and weights laid out for
  // channels_last.
  void start(const at::Generator& generator) {
    // timm goes from the inside out, in the order of registration: the same
    // convolutions and linear layers in the same order.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        normal_by_group_fan_out(*conv, generator);
        conv->use_channels_last();
      } else if (auto* linear = module->as<Linear>()) {
        normal(linear->weight, kRegNetHeadStd, generator);
        constant(linear->bias, 0.0);
      }
    }
    for (const auto& block : blocks_) {
      constant(block->last_norm().weight, 0.0);
    }
  }

  std::shared_ptr<ConvBn> stem_;
  std::vector<std::shared_ptr<RegNetBlock>> blocks_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_regnet = construct<RegNet>;

} // namespace vitrain::networks

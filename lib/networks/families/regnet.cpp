#include "models/families/regnet.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <ATen/ATen.h>

#include "networks/families/byob_blocks.h"
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
      return add_layer<ByobConv>(
          *this, name, shape, Activation::kRelu, generator);
    };
    conv1_ = add("conv1", padded_shape(in, width));
    const std::int64_t groups = width / net.group_widths[stage];
    conv2_ =
        add("conv2", padded_shape(width, width, /*kernel=*/3, stride, groups));
    if (net.squeeze) {
      // timm rounds the quarter to the nearest integer, ties to even.
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
    conv3_ = add("conv3", padded_shape(width, width));
    if (in != width || stride != 1) {
      downsample_ =
          add("downsample", padded_shape(in, width, /*kernel=*/1, stride));
    }
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const {
    at::Tensor y = (*conv2_)((*conv1_)(x.trunk).trunk).trunk;
    y = squeeze_ ? (*squeeze_)(y) : y;
    const at::Tensor shortcut =
        downsample_ ? downsample_->normed(x.branch) : x.branch;
    if (!drop.defined()) {
      return (*conv3_)(y, shortcut);
    }
    y = add_branch(shortcut, conv3_->normed(y), drop, row_).relu_();
    return {y, y};
  }

  const BatchNorm2d& last_norm() const { return conv3_->norm(); }

 private:
  std::int64_t row_; // row of drop factors
  std::shared_ptr<ByobConv> conv1_;
  std::shared_ptr<ByobConv> conv2_;
  std::shared_ptr<SqueezeExcite> squeeze_;
  std::shared_ptr<ByobConv> conv3_;
  std::shared_ptr<ByobConv> downsample_;
};

class RegNet : public ImageModel {
 public:
  RegNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::RegNetSpec>();
    const Conv2d::Shape stem =
        padded_shape(spec.channels, net.stem, /*kernel=*/3, /*stride=*/2);
    stem_ =
        add_layer<ByobConv>(*this, "stem", stem, Activation::kRelu, generator);
    const std::int64_t channels = add_stages(net, generator);
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Linear>(*head, "fc", channels, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    Fork fork = (*stem_)(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      fork = block->forward(fork, drop);
    }
    return (*fc_)(mean_over_pixels(fork.trunk));
  }

 private:
  // Adds the blocks "s1.b1", ...; returns the number of output channels.
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

  // Initialises weights as timm/models/regnet.py, _init_weights, and changes
  // their memory layout to channels_last.
  void init_weights(const at::Generator& generator) {
    // timm visits inner modules first; for convolutions and linear layers this
    // equals the order of registration.
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

  std::shared_ptr<ByobConv> stem_;
  std::vector<std::shared_ptr<RegNetBlock>> blocks_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_regnet = construct<RegNet>;

} // namespace vitrain::networks

#include "models/families/resnet.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "models/families/multiple_of_8.h"
#include "networks/families/resnet_blocks.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/group_norm.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::ResNetSpec;

using Gate = ResNetSpec::Gate;

// Projects a block's input to the shape of its output. Layers: "downsample.0"
// and "downsample.1"; with average_down, "downsample.1" and "downsample.2",
// after an average pooling if the stride is more than 1.
class Downsample : public torch::nn::Module {
 public:
  Downsample(
      const ResNetSpec& net,
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride,
      const at::Generator& generator)
      : pools_(net.average_down && stride > 1),
        layers_(ResNetLayers(*this, net, generator)
                    .normed(
                        net.average_down ? "1" : "0",
                        net.average_down ? "2" : "1",
                        padded_shape(
                            in,
                            out,
                            stride > 1 ? net.down_kernel : 1,
                            net.average_down ? 1 : stride))) {}

  at::Tensor forward(const at::Tensor& x) const {
    return layers_.norm((*layers_.conv)(pools_ ? halve(x) : x));
  }

 private:
  bool pools_;
  NormedConv layers_;
};

std::shared_ptr<ChannelGate> add_gate(
    torch::nn::Module& owner,
    const ResNetSpec& net,
    std::int64_t channels,
    const at::Generator& generator) {
  switch (net.gate) {
    case Gate::kNone:
      return nullptr;
    case Gate::kSqueeze:
      return add_layer<SqueezeExcite>(
          owner,
          "se",
          channels,
          models::multiple_of_8(static_cast<double>(channels) * net.squeeze),
          Nonlinearity::kRelu,
          generator,
          "fc1",
          "fc2");
    case Gate::kEca:
      return add_layer<EcaGate>(owner, "se", channels, generator);
  }
  return nullptr;
}

// Residual block: two 3x3 convolutions, or 1x1, 3x3, 1x1, the last with four
// times the stage's entry in ResNetSpec::widths. Other main convolutions stand
// for the first or the only 3x3 convolution (ResNetLayers::main).
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(
      const ResNetSpec& net,
      std::size_t stage,
      std::int64_t in,
      std::int64_t stride,
      std::shared_ptr<Downsample> downsample,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    const ResNetLayers layers(*this, net, generator);
    const std::int64_t width = net.hidden(stage);
    const std::int64_t out = net.out(stage);
    const bool projects = downsample != nullptr;
    if (net.bottleneck) {
      // The parts that each have a convolution in kScales.
      const std::int64_t parts =
          net.main == ResNetSpec::Main::kScales ? net.parts : 1;
      const std::int64_t first = net.halve_first ? width / 2 : width * parts;
      inner_.push_back(layers.numbered(1, {.in = in, .out = first}));
      inner_.push_back(layers.main(
          2,
          padded_shape(first / parts, width, /*kernel=*/3, stride, net.groups),
          projects));
      last_ = layers.numbered(3, {.in = width * parts, .out = out});
    } else {
      inner_.push_back(layers.main(
          1, padded_shape(in, width, /*kernel=*/3, stride), projects));
      last_ = layers.numbered(2, padded_shape(width, out, /*kernel=*/3));
    }
    gate_ = add_gate(*this, net, out, generator);
    if (projects) {
      downsample_ = register_module("downsample", std::move(downsample));
    }
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const {
    at::Tensor y = x.trunk;
    for (const Step& step : inner_) {
      y = step(y);
    }
    y = (*last_->conv)(y);
    const at::Tensor shortcut =
        downsample_ ? downsample_->forward(x.branch) : x.branch;
    if (!drop.defined() && !gate_) {
      return last_->norm.relu(y, shortcut);
    }
    y = last_->norm(y);
    y = gate_ ? (*gate_)(y) : y;
    y = add_branch(shortcut, y, drop, row_).relu_();
    return {y, y};
  }

  const BatchOrGroupNorm& last_norm() const { return last_->norm; }

 private:
  std::int64_t row_; // row of drop factors
  std::vector<Step> inner_; // up to the last convolution
  std::optional<NormedConv> last_;
  std::shared_ptr<ChannelGate> gate_; // null: none
  std::shared_ptr<Downsample> downsample_;
};

// Registers the stem: "conv1" and "bn1", one convolution, or three of which the
// first two and their norms are "conv1.0", "conv1.1", "conv1.3", "conv1.4";
// then a pooling, which is a convolution "maxpool.0" and its norm "maxpool.1"
// if pool_by_conv.
Step add_stem(
    torch::nn::Module& owner,
    const ResNetSpec& net,
    std::int64_t channels,
    const at::Generator& generator) {
  const std::int64_t width = net.stem_width;
  const ResNetLayers layers(owner, net, generator);
  std::vector<Step> steps;
  if (net.stem == ResNetSpec::Stem::kPlain) {
    steps.push_back(layers.normed(
        "conv1", "bn1", padded_shape(channels, width, /*kernel=*/7, 2)));
  } else {
    const auto [first, second] = net.stem_hidden();
    const auto parts = add_layer<torch::nn::Module>(owner, "conv1");
    const ResNetLayers deep(*parts, net, generator);
    steps.push_back(deep.normed("0", "1", padded_shape(channels, first, 3, 2)));
    steps.push_back(deep.normed("3", "4", padded_shape(first, second, 3)));
    const auto conv = add_layer<Conv2d>(
        *parts, "6", padded_shape(second, width, 3), generator);
    steps.push_back(NormedConv{
        conv, BatchOrGroupNorm(owner, "bn1", width, net.norm_groups)});
  }
  if (net.pool_by_conv) {
    const auto pool = add_layer<torch::nn::Module>(owner, "maxpool");
    steps.push_back(ResNetLayers(*pool, net, generator)
                        .normed("0", "1", padded_shape(width, width, 3, 2)));
  } else if (net.smoothing == ResNetSpec::Smoothing::kAverage) {
    steps.push_back(smooth(net.smoothing));
  } else if (net.smoothing == ResNetSpec::Smoothing::kBlur) {
    steps.push_back(chain({max_pool(3, 1, 1), smooth(net.smoothing)}));
  } else {
    steps.push_back(max_pool(3, 2, 1));
  }
  return chain(std::move(steps));
}

class ResNet : public ImageModel {
 public:
  ResNet(const models::ModelSpec& spec, at::Generator generator)
      : ImageModel(spec) {
    const auto& net = spec.get<ResNetSpec>();
    stem_ = add_stem(*this, net, spec.channels, generator);
    const auto rows = paths_.add_stages(net.blocks, spec.drop_path);
    std::int64_t channels = net.stem_width;
    for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
      channels = add_stage(net, stage, channels, rows[stage], generator);
    }
    fc_ = add_layer<Linear>(*this, "fc", channels, spec.num_classes, generator);
    init_weights(net, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const at::Tensor x =
        stem_(images.contiguous(at::MemoryFormat::ChannelsLast));
    Fork fork{x, x};
    for (const auto& block : blocks_) {
      fork = block->forward(fork, drop);
    }
    return (*fc_)(mean_over_pixels(fork.trunk));
  }

 private:
  // Appends a stage; returns the number of its output channels.
  std::int64_t add_stage(
      const ResNetSpec& net,
      std::size_t stage,
      std::int64_t in,
      const std::vector<std::int64_t>& rows,
      at::Generator generator) {
    const std::int64_t out = net.out(stage);
    const auto list = add_layer<torch::nn::ModuleListImpl>(
        *this, "layer" + std::to_string(stage + 1));
    for (const std::int64_t row : rows) {
      const std::int64_t stride = row == rows.front() && stage > 0 ? 2 : 1;
      // timm samples the projection before the block's own convolutions.
      std::shared_ptr<Downsample> downsample;
      if (stride != 1 || in != out) {
        downsample =
            std::make_shared<Downsample>(net, in, out, stride, generator);
      }
      blocks_.push_back(append_layer<ResidualBlock>(
          *list,
          net,
          stage,
          in,
          stride,
          std::move(downsample),
          row,
          generator));
      in = out;
    }
    return out;
  }

  // Samples the weights as timm does and changes their memory layout to
  // channels_last.
  void init_weights(const ResNetSpec& net, const at::Generator& generator) {
    const at::NoGradGuard no_grad;
    // timm samples in the order of registration, into contiguous weights.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        normal_by_fan_out(conv->weight, generator);
        conv->use_channels_last();
      }
    }
    if (net.main != ResNetSpec::Main::kSelective) {
      for (const auto& block : blocks_) {
        constant(block->last_norm().weight(), 0.0);
      }
    }
  }

  Step stem_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_resnet = construct<ResNet>;

} // namespace vitrain::networks

#include "models/families/resnet.h"

#include <algorithm>
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

using models::ResNetSpec;

// Projects a block's input to the shape of its output. Layers: "downsample.0"
// and "downsample.1"; with `average`, "downsample.1" and "downsample.2", after
// an average pooling if the stride is more than 1.
class Downsample : public torch::nn::Module {
 public:
  Downsample(
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride,
      bool average,
      at::Generator generator)
      : pools_(average && stride > 1) {
    const Conv2d::Shape shape{
        .in = in, .out = out, .stride = average ? 1 : stride};
    conv_ = add_layer<Conv2d>(*this, average ? "1" : "0", shape, generator);
    norm_ = add_layer<BatchNorm2d>(*this, average ? "2" : "1", out);
  }

  at::Tensor forward(const at::Tensor& x) const {
    return norm_only(*norm_, (*conv_)(pools_ ? pooled(x) : x));
  }

 private:
  // 2x2 average pooling; at the end of an odd side, the average covers only the
  // pixels that exist.
  static at::Tensor pooled(const at::Tensor& x) {
    return at::avg_pool2d(
        x,
        /*kernel_size=*/2,
        /*stride=*/2,
        /*padding=*/0,
        /*ceil_mode=*/true,
        /*count_include_pad=*/false);
  }

  bool pools_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

// Residual block: two 3x3 convolutions, or 1x1, 3x3, 1x1, the last with four
// times the width.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(
      const ResNetSpec& net,
      std::size_t stage,
      std::int64_t in,
      std::int64_t stride,
      std::shared_ptr<Downsample> downsample,
      std::int64_t row,
      at::Generator generator)
      : row_(row) {
    const std::int64_t width = net.hidden(stage);
    const std::int64_t out = net.out(stage);
    if (net.bottleneck) {
      add({.in = in, .out = width}, generator);
      add(padded_shape(width, width, /*kernel=*/3, stride, net.groups),
          generator);
      add({.in = width, .out = out}, generator);
    } else {
      add(padded_shape(in, width, /*kernel=*/3, stride), generator);
      add(padded_shape(width, out, /*kernel=*/3), generator);
    }
    if (downsample) {
      downsample_ = register_module("downsample", std::move(downsample));
    }
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const {
    at::Tensor y = x.trunk;
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) {
      y = norm_relu(*norms_[i], (*convs_[i])(y)).trunk;
    }
    y = (*convs_.back())(y);
    const at::Tensor shortcut =
        downsample_ ? downsample_->forward(x.branch) : x.branch;
    if (!drop.defined()) {
      return norm_relu(*norms_.back(), y, shortcut);
    }
    y = add_branch(shortcut, norm_only(*norms_.back(), y), drop, row_).relu_();
    return {y, y};
  }

  const BatchNorm2d& last_norm() const { return *norms_.back(); }

 private:
  void add(const Conv2d::Shape& shape, at::Generator generator) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.push_back(
        add_layer<Conv2d>(*this, "conv" + number, shape, generator));
    norms_.push_back(add_layer<BatchNorm2d>(*this, "bn" + number, shape.out));
  }

  std::int64_t row_; // row of drop factors
  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
  std::shared_ptr<Downsample> downsample_;
};

// Stem "conv1" and "bn1": one convolution, or three of which the first two and
// their norms are "conv1.0", "conv1.1", "conv1.3", "conv1.4".
class ResNetStem {
 public:
  ResNetStem(
      torch::nn::Module& owner,
      const ResNetSpec& net,
      std::int64_t channels,
      const at::Generator& generator) {
    if (net.stem == ResNetSpec::Stem::kPlain) {
      const Conv2d::Shape shape =
          padded_shape(channels, net.stem_width, /*kernel=*/7, /*stride=*/2);
      convs_.push_back(add_layer<Conv2d>(owner, "conv1", shape, generator));
    } else {
      const auto parts = add_layer<torch::nn::Module>(owner, "conv1");
      const auto [first, second] = net.stem_hidden();
      add(*parts, channels, first, 2, generator);
      norms_.push_back(add_layer<BatchNorm2d>(*parts, "1", first));
      add(*parts, first, second, 1, generator);
      norms_.push_back(add_layer<BatchNorm2d>(*parts, "4", second));
      add(*parts, second, net.stem_width, 1, generator);
    }
    norms_.push_back(add_layer<BatchNorm2d>(owner, "bn1", net.stem_width));
  }

  at::Tensor operator()(at::Tensor x) const {
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      x = norm_relu(*norms_[i], (*convs_[i])(x)).trunk;
    }
    return x;
  }

 private:
  void add(
      torch::nn::Module& parts,
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride,
      const at::Generator& generator) {
    const auto shape = padded_shape(in, out, /*kernel=*/3, stride);
    const std::string name = std::to_string(3 * convs_.size());
    convs_.push_back(add_layer<Conv2d>(parts, name, shape, generator));
  }

  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
};

class ResNet : public ImageModel {
 public:
  ResNet(const models::ModelSpec& spec, at::Generator generator)
      : ImageModel(spec) {
    const auto& net = spec.get<ResNetSpec>();
    stem_ = std::make_unique<ResNetStem>(*this, net, spec.channels, generator);
    const auto rows = paths_.add_stages(net.blocks, spec.drop_path);
    std::int64_t channels = net.stem_width;
    for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
      channels = add_stage(net, stage, channels, rows[stage], generator);
    }
    fc_ = add_layer<Linear>(*this, "fc", channels, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = (*stem_)(images.contiguous(at::MemoryFormat::ChannelsLast));
    x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
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
        downsample = std::make_shared<Downsample>(
            in, out, stride, net.average_down, generator);
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
  void init_weights(at::Generator generator) {
    const at::NoGradGuard no_grad;
    // timm samples in the order of registration, into contiguous weights.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        normal_by_fan_out(conv->weight, generator);
        conv->use_channels_last();
      }
    }
    for (const auto& block : blocks_) {
      block->last_norm().weight.zero_();
    }
  }

  std::unique_ptr<ResNetStem> stem_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_resnet = construct<ResNet>;

} // namespace vitrain::networks

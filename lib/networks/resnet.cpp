#include "models/families/resnet.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "core/check.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/model.h"

namespace vitrain::networks {
namespace {

constexpr std::int64_t kStemWidth = 64;
constexpr std::int64_t kIndex = 8; // bytes, of max-pooling

// Projection of a block's input to the shape of its output: "downsample.0" and
// "downsample.1".
class Downsample : public torch::nn::Module {
 public:
  Downsample(
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride,
      at::Generator generator) {
    const Conv2d::Shape shape{.in = in, .out = out, .stride = stride};
    conv_ = add_layer<Conv2d>(*this, "0", shape, generator);
    norm_ = add_layer<BatchNorm2d>(*this, "1", out);
  }

  at::Tensor forward(const at::Tensor& x) const {
    return norm_only(*norm_, (*conv_)(x));
  }

 private:
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

// Two 3x3 convolutions, or 1x1, 3x3, 1x1 with four times the width at the end.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(
      std::int64_t in,
      std::int64_t width,
      std::int64_t stride,
      bool bottleneck,
      std::shared_ptr<Downsample> downsample,
      at::Generator generator) {
    if (bottleneck) {
      add({.in = in, .out = width}, generator);
      add({.in = width,
           .out = width,
           .kernel = 3,
           .stride = stride,
           .padding = 1},
          generator);
      add({.in = width, .out = 4 * width}, generator);
    } else {
      add({.in = in, .out = width, .kernel = 3, .stride = stride, .padding = 1},
          generator);
      add({.in = width, .out = width, .kernel = 3, .padding = 1}, generator);
    }
    if (downsample) {
      downsample_ = register_module("downsample", std::move(downsample));
    }
  }

  Fork forward(const Fork& x) const {
    at::Tensor y = x.trunk;
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) {
      y = norm_relu(*norms_[i], (*convs_[i])(y)).trunk;
    }
    return norm_relu(
        *norms_.back(),
        (*convs_.back())(y),
        downsample_ ? downsample_->forward(x.branch) : x.branch);
  }

  const BatchNorm2d& last_norm() const { return *norms_.back(); }

 private:
  void add(const Conv2d::Shape& shape, at::Generator generator) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.push_back(
        add_layer<Conv2d>(*this, "conv" + number, shape, generator));
    norms_.push_back(add_layer<BatchNorm2d>(*this, "bn" + number, shape.out));
  }

  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
  std::shared_ptr<Downsample> downsample_;
};

class ResNet : public Model {
 public:
  ResNet(const models::ModelSpec& spec, at::Generator generator) {
    const Conv2d::Shape stem{
        .in = spec.channels,
        .out = kStemWidth,
        .kernel = 7,
        .stride = 2,
        .padding = 3};
    conv1_ = add_layer<Conv2d>(*this, "conv1", stem, generator);
    bn1_ = add_layer<BatchNorm2d>(*this, "bn1", kStemWidth);
    const auto& net = spec.get<models::ResNetSpec>();
    std::int64_t channels = kStemWidth;
    for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
      channels = add_stage(net, stage, channels, generator);
    }
    fc_ = add_layer<Linear>(*this, "fc", channels, spec.num_classes, generator);
    start(generator);
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    VITRAIN_CHECK(
        images.dim() == 4 && images.size(1) == conv1_->weight.size(1) &&
            !drop.defined(),
        ExitCode::kInternal,
        "a residual network takes images [N, {}, H, W] and drops nothing",
        conv1_->weight.size(1));
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    x = norm_relu(*bn1_, (*conv1_)(x)).trunk;
    x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    Fork fork{x, x};
    for (const auto& block : blocks_) {
      fork = block->forward(fork);
    }
    // The mean over pixels, of rows as they lie in memory, forward and
    // backward.
    x = fork.trunk.permute({0, 2, 3, 1}).flatten(1, 2).mean(1);
    return (*fc_)(x);
  }

 private:
  // Appends a stage; returns the number of its output channels.
  std::int64_t add_stage(
      const models::ResNetSpec& spec,
      std::size_t stage,
      std::int64_t in,
      at::Generator generator) {
    const std::int64_t width = kStemWidth << stage;
    const std::int64_t out = spec.bottleneck ? 4 * width : width;
    const auto list = add_layer<torch::nn::ModuleListImpl>(
        *this, "layer" + std::to_string(stage + 1));
    for (std::int64_t i = 0; i < spec.blocks[stage]; ++i) {
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      // timm draws the projection before the block's own convolutions.
      std::shared_ptr<Downsample> downsample;
      if (stride != 1 || in != out) {
        downsample = std::make_shared<Downsample>(in, out, stride, generator);
      }
      blocks_.push_back(std::make_shared<ResidualBlock>(
          in,
          width,
          stride,
          spec.bottleneck,
          std::move(downsample),
          generator));
      list->push_back(blocks_.back());
      in = out;
    }
    return out;
  }

  // Draws the weights as timm does, and lays them out for channels_last.
  void start(at::Generator generator) {
    const at::NoGradGuard no_grad;
    // timm draws them in the order of registration, of contiguous weights.
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

  std::shared_ptr<Conv2d> conv1_;
  std::shared_ptr<BatchNorm2d> bn1_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

std::shared_ptr<Model> make_resnet(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<ResNet>(spec, generator);
}

} // namespace vitrain::networks

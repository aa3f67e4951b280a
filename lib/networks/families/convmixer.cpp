#include "models/families/convmixer.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/networks.h"

// Weights keep torch's default initialisation, as in timm.
namespace vitrain::networks {
namespace {

using models::ConvMixerSpec;

// A convolution, an activation and a norm, registered in `owner` as numbered
// layers.
class ConvActNorm {
 public:
  ConvActNorm(
      torch::nn::Module& owner,
      std::int64_t first,
      const Conv2d::Shape& shape,
      bool relu,
      const at::Generator& generator)
      : activation_(relu ? Activation::kRelu : Activation::kGelu),
        conv_(
            add_layer<Conv2d>(owner, std::to_string(first), shape, generator)),
        norm_(add_layer<BatchNorm2d>(
            owner,
            std::to_string(first + 2),
            shape.out)) {
    conv_->use_channels_last();
  }

  // [N, in, H, W] -> [N, out, H', W']
  at::Tensor operator()(const at::Tensor& x) const {
    return norm_only(*norm_, activate((*conv_)(x), activation_));
  }

 private:
  Activation activation_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

class ConvMixerBlock : public torch::nn::Module {
 public:
  ConvMixerBlock(const ConvMixerSpec& net, const at::Generator& generator)
      : spatial_(
            *add_layer<torch::nn::Module>(
                *add_layer<torch::nn::Module>(*this, "0"),
                "fn"),
            0,
            depthwise_shape(net.width, net.kernel),
            net.relu,
            generator),
        channels_(
            *this,
            1,
            {.in = net.width, .out = net.width, .bias = true},
            net.relu,
            generator) {}

  at::Tensor forward(const at::Tensor& x) const {
    return channels_(spatial_(x) + x);
  }

 private:
  ConvActNorm spatial_;
  ConvActNorm channels_;
};

class ConvMixer : public ImageModel {
 public:
  ConvMixer(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec), stem_(make_stem(*this, spec, generator)) {
    const auto& net = spec.get<ConvMixerSpec>();
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < net.depth; ++i) {
      blocks_.push_back(append_layer<ConvMixerBlock>(*list, net, generator));
    }
    head_ = add_layer<Linear>(
        *this, "head", net.width, spec.num_classes, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    at::Tensor x = stem_(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      x = block->forward(x);
    }
    return (*head_)(x.mean({2, 3}));
  }

 private:
  static ConvActNorm make_stem(
      torch::nn::Module& owner,
      const models::ModelSpec& spec,
      const at::Generator& generator) {
    const auto& net = spec.get<ConvMixerSpec>();
    const auto stem = add_layer<torch::nn::Module>(owner, "stem");
    return {
        *stem,
        0,
        patch_shape(spec.channels, net.width, net.patch_size),
        net.relu,
        generator};
  }

  ConvActNorm stem_;
  std::vector<std::shared_ptr<ConvMixerBlock>> blocks_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_convmixer = construct<ConvMixer>;

} // namespace vitrain::networks

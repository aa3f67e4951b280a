#include "models/families/resnet_v2.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "models/families/multiple_of_8.h"
#include "networks/families/resnet_blocks.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/group_norm.h"
#include "networks/layers/init.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::ResNetV2Spec;

constexpr double kStandardEps = 1e-8;

// Returns the weights with mean 0 and variance 1 for each output channel.
at::Tensor standardized(const at::Tensor& weight) {
  const at::Tensor centered = weight - weight.mean({1, 2, 3}, /*keepdim=*/true);
  const at::Tensor variance =
      centered.square().mean({1, 2, 3}, /*keepdim=*/true);
  return centered * (variance + kStandardEps).rsqrt();
}

// Registers a convolution, whose weights are standardised if the network wants
// that.
Step add_conv(
    torch::nn::Module& owner,
    const std::string& name,
    const ResNetV2Spec& net,
    const Conv2d::Shape& shape,
    const at::Generator& generator) {
  const auto conv = add_layer<Conv2d>(owner, name, shape, generator);
  const bool standard = net.standardized;
  return [conv, standard](const at::Tensor& x) {
    return standard && !x.is_meta()
        ? conv->with_kernel(x, standardized(conv->weight))
        : (*conv)(x);
  };
}

// Residual block: two 3x3 convolutions, or 1x1, 3x3, 1x1, each after a norm and
// a ReLU.
class PreActBlock : public torch::nn::Module {
 public:
  // `projects`: the block has a skip projection.
  PreActBlock(
      const ResNetV2Spec& net,
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride,
      bool projects,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    if (projects) {
      const auto module = add_layer<torch::nn::Module>(*this, "downsample");
      const bool pools = net.average_down && stride > 1;
      const Step conv = add_conv(
          *module,
          "conv",
          net,
          padded_shape(in, out, /*kernel=*/1, pools ? 1 : stride),
          generator);
      downsample_ = pools ? chain({halve, conv}) : conv;
    }
    if (net.bottleneck) {
      const std::int64_t width =
          models::multiple_of_8(static_cast<double>(out) / 4.0);
      add(net, padded_shape(in, width), generator);
      add(net, padded_shape(width, width, /*kernel=*/3, stride), generator);
      add(net, padded_shape(width, out), generator);
    } else {
      add(net, padded_shape(in, out, /*kernel=*/3, stride), generator);
      add(net, padded_shape(out, out, /*kernel=*/3), generator);
    }
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const Fork first = norms_.front().relu(x);
    const at::Tensor shortcut = downsample_ ? downsample_(first.branch) : x;
    at::Tensor y = convs_.front()(first.trunk);
    for (std::size_t i = 1; i < convs_.size(); ++i) {
      y = convs_[i](norms_[i].relu(y).trunk);
    }
    return add_branch(shortcut, y, drop, row_);
  }

 private:
  // Adds a norm and the convolution after it.
  void add(
      const ResNetV2Spec& net,
      const Conv2d::Shape& shape,
      const at::Generator& generator) {
    const std::string number = std::to_string(convs_.size() + 1);
    norms_.emplace_back(*this, "norm" + number, shape.in, net.norm_groups);
    convs_.push_back(add_conv(*this, "conv" + number, net, shape, generator));
  }

  std::int64_t row_; // row of drop factors
  std::vector<BatchOrGroupNorm> norms_;
  std::vector<Step> convs_;
  Step downsample_; // empty: none
};

Step add_v2_stem(
    torch::nn::Module& owner,
    const ResNetV2Spec& net,
    std::int64_t channels,
    const at::Generator& generator) {
  const std::int64_t width = net.stem_width;
  std::vector<Step> steps;
  const auto add = [&](const char* name,
                       std::int64_t in,
                       std::int64_t out,
                       std::int64_t kernel,
                       std::int64_t stride) {
    steps.push_back(add_conv(
        owner, name, net, padded_shape(in, out, kernel, stride), generator));
  };
  const auto add_norm = [&](const char* name, std::int64_t of) {
    const BatchOrGroupNorm norm(owner, name, of, net.norm_groups);
    steps.emplace_back(
        [norm](const at::Tensor& x) { return norm.relu(x).trunk; });
  };
  if (net.stem == ResNetV2Spec::Stem::kPlain) {
    add("conv", channels, width, 7, 2);
  } else {
    const std::int64_t half = width / 2;
    const std::int64_t first =
        net.stem == ResNetV2Spec::Stem::kTiered ? 3 * width / 8 : half;
    add("conv1", channels, first, 3, 2);
    add_norm("norm1", first);
    add("conv2", first, half, 3, 1);
    add_norm("norm2", half);
    add("conv3", half, width, 3, 1);
  }
  if (net.standardized) {
    steps.emplace_back([](const at::Tensor& x) {
      return at::constant_pad_nd(x, {1, 1, 1, 1});
    });
  }
  steps.push_back(max_pool(3, 2, net.standardized ? 0 : 1));
  return chain(std::move(steps));
}

class ResNetV2 : public ImageModel {
 public:
  ResNetV2(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<ResNetV2Spec>();
    const auto stem = add_layer<torch::nn::Module>(*this, "stem");
    stem_ = add_v2_stem(*stem, net, spec.channels, generator);
    const auto stages = add_layer<torch::nn::ModuleListImpl>(*this, "stages");
    const auto rows = paths_.add_stages(net.blocks, spec.drop_path);
    std::int64_t channels = net.stem_width;
    for (std::size_t stage = 0; stage < rows.size(); ++stage) {
      const std::int64_t out = net.widths[stage];
      const auto module = append_layer<torch::nn::Module>(*stages);
      const auto list = add_layer<torch::nn::ModuleListImpl>(*module, "blocks");
      for (const std::int64_t row : rows[stage]) {
        const bool first = row == rows[stage].front();
        const std::int64_t stride = first && stage > 0 ? 2 : 1;
        blocks_.push_back(append_layer<PreActBlock>(
            *list,
            net,
            channels,
            out,
            stride,
            first && (net.bottleneck || stride > 1 || channels != out),
            row,
            generator));
        channels = out;
      }
    }
    norm_ = std::make_unique<BatchOrGroupNorm>(
        *this, "norm", channels, net.norm_groups);
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Conv2d>(
        *head,
        "fc",
        padded_shape(channels, spec.num_classes).with_bias(),
        generator);
    init_convs(*this, [&](Conv2d& conv) {
      if (&conv == fc_.get()) {
        normal(conv.weight, 0.01, generator);
        constant(conv.bias, 0.0);
      } else {
        normal_by_fan_out(conv.weight, generator);
      }
    });
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = stem_(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      x = block->forward(x, drop);
    }
    return fc_->pointwise(mean_over_pixels(norm_->relu(x).trunk));
  }

 private:
  Step stem_;
  std::vector<std::shared_ptr<PreActBlock>> blocks_;
  std::unique_ptr<BatchOrGroupNorm> norm_;
  std::shared_ptr<Conv2d> fc_;
};

} // namespace

const MakeNetwork make_resnet_v2 = construct<ResNetV2>;

} // namespace vitrain::networks

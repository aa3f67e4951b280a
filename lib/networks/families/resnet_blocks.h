#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/resnet.h"
#include "networks/layers/group_norm.h"
#include "networks/layers/layers.h"
#include "networks/layers/steps.h"

// Parts of the blocks of residual networks (models/families/resnet.h).
namespace vitrain::networks {

// A convolution, and the norm of its outputs.
struct NormedConv {
  std::shared_ptr<Conv2d> conv;
  BatchOrGroupNorm norm;

  // Returns relu(norm(conv(x))).
  at::Tensor operator()(const at::Tensor& x) const {
    return norm.relu((*conv)(x)).trunk;
  }
};

// Registers layers in a module with the names that timm gives them.
class ResNetLayers {
 public:
  ResNetLayers(
      torch::nn::Module& owner,
      const models::ResNetSpec& net,
      const at::Generator& generator)
      : owner_(&owner), net_(&net), generator_(generator) {}

  NormedConv normed(
      const std::string& conv,
      const std::string& norm,
      const Conv2d::Shape& shape) const;
  // Registers convolution `number` of a block and its norm: "conv1" and "bn1",
  // or "conv1.conv" and "conv1.bn" in blocks with selective kernels.
  NormedConv numbered(int number, const Conv2d::Shape& shape) const;
  // Registers the main convolution of a block, of number `number`, with its
  // norms. `shape`: the convolution that kSingle has. `projects`: the block has
  // a skip projection.
  Step main(int number, const Conv2d::Shape& shape, bool projects) const;

 private:
  Step smoothed(int number, Conv2d::Shape shape) const;
  Step selective(int number, Conv2d::Shape shape) const;
  Step split(int number, Conv2d::Shape shape) const;
  Step scales(const Conv2d::Shape& shape, bool projects) const;
  ResNetLayers in(const std::string& name) const;

  torch::nn::Module* owner_;
  const models::ResNetSpec* net_;
  at::Generator generator_;
};

// Returns the means of 2x2 pixels; at the end of an odd side, those of the
// pixels that exist.
at::Tensor halve(const at::Tensor& x);

// Returns the filter with stride 2. `smoothing` must not be kNone.
Step smooth(models::ResNetSpec::Smoothing smoothing);

} // namespace vitrain::networks

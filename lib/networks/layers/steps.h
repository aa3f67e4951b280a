#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"

// Networks composed of functions of one image [N, C, H, W], for networks
// without stochastic depth.
namespace vitrain::networks {

// Function that owns its layers.
using Step = std::function<at::Tensor(const at::Tensor&)>;

// Applies the steps one after another.
Step chain(std::vector<Step> steps);
// Applies all branches to the same image and joins their channels.
Step concat(std::vector<Step> branches);
// Applies both branches to the same image and adds their results.
Step sum(Step one, Step two);
// Passes the image on unchanged.
Step identity();
// Applies a ReLU in place: overwrites the image.
Step relu();
// Pads with -infinity. `ceil`: also uses the incomplete windows at the end of a
// side.
Step max_pool(
    std::int64_t kernel,
    std::int64_t stride,
    std::int64_t padding = 0,
    bool ceil = false);
// Pads with zeros, which count in the mean.
Step average_pool(
    std::int64_t kernel,
    std::int64_t stride,
    std::int64_t padding = 0);

// Registers layers in a module, in the order of the calls.
class Layers {
 public:
  Layers(
      torch::nn::Module& owner,
      at::Generator generator,
      double norm_eps = BatchNorm2d::kEps)
      : owner_(&owner), generator_(std::move(generator)), eps_(norm_eps) {}

  // Registers an empty module `name` and returns the Layers of that module.
  Layers in(const std::string& name) const;
  Step conv(const std::string& name, const Conv2d::Shape& shape) const;
  // BatchNorm and a nonlinearity.
  Step norm(
      const std::string& name,
      std::int64_t channels,
      Nonlinearity after = Nonlinearity::kRelu) const;
  // A convolution without bias, BatchNorm and a nonlinearity.
  Step conv_norm(
      const std::string& conv,
      const std::string& norm,
      const Conv2d::Shape& shape,
      Nonlinearity after = Nonlinearity::kRelu) const;

  torch::nn::Module& owner() const { return *owner_; }
  const at::Generator& generator() const { return generator_; }

 private:
  torch::nn::Module* owner_;
  at::Generator generator_;
  double eps_;
};

// Changes the memory layout of all convolutions to channels_last, after their
// initialisation by `init`.
void init_convs(
    const torch::nn::Module& network,
    const std::function<void(Conv2d&)>& init = [](Conv2d&) {});

} // namespace vitrain::networks

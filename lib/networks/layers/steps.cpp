#include "networks/layers/steps.h"

#include <utility>

#include <ATen/ATen.h>

namespace vitrain::networks {

Step chain(std::vector<Step> steps) {
  return [steps = std::move(steps)](const at::Tensor& x) {
    at::Tensor y = x;
    for (const Step& step : steps) {
      y = step(y);
    }
    return y;
  };
}

Step concat(std::vector<Step> branches) {
  return [branches = std::move(branches)](const at::Tensor& x) {
    std::vector<at::Tensor> results;
    results.reserve(branches.size());
    for (const Step& branch : branches) {
      results.push_back(branch(x));
    }
    return at::cat(results, /*dim=*/1);
  };
}

Step sum(Step one, Step two) {
  return [one = std::move(one), two = std::move(two)](const at::Tensor& x) {
    return one(x) + two(x);
  };
}

Step identity() {
  return [](const at::Tensor& x) { return x; };
}

Step relu() {
  return [](const at::Tensor& x) {
    return apply_in_place(x, Nonlinearity::kRelu);
  };
}

Step max_pool(
    std::int64_t kernel,
    std::int64_t stride,
    std::int64_t padding,
    bool ceil) {
  return [=](const at::Tensor& x) {
    return at::max_pool2d(x, kernel, stride, padding, /*dilation=*/1, ceil);
  };
}

Step average_pool(
    std::int64_t kernel,
    std::int64_t stride,
    std::int64_t padding) {
  return [=](const at::Tensor& x) {
    return at::avg_pool2d(x, kernel, stride, padding);
  };
}

Layers Layers::in(const std::string& name) const {
  return {*add_layer<torch::nn::Module>(*owner_, name), generator_, eps_};
}

Step Layers::conv(const std::string& name, const Conv2d::Shape& shape) const {
  const auto layer = add_layer<Conv2d>(*owner_, name, shape, generator_);
  return [layer](const at::Tensor& x) { return (*layer)(x); };
}

Step Layers::norm(
    const std::string& name,
    std::int64_t channels,
    Nonlinearity after) const {
  const auto layer = add_layer<BatchNorm2d>(*owner_, name, channels, eps_);
  return [layer, after](const at::Tensor& x) {
    return norm_act(*layer, x, after).trunk;
  };
}

Step Layers::conv_norm(
    const std::string& conv_name,
    const std::string& norm_name,
    const Conv2d::Shape& shape,
    Nonlinearity after) const {
  Step convolution = conv(conv_name, shape);
  return chain({std::move(convolution), norm(norm_name, shape.out, after)});
}

void init_convs(
    const torch::nn::Module& network,
    const std::function<void(Conv2d&)>& init) {
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (auto* conv = module->as<Conv2d>()) {
      init(*conv);
      conv->use_channels_last();
    }
  }
}

} // namespace vitrain::networks

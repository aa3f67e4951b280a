#include "models/convnet.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/check.h"
#include "models/layers.h"

namespace vitrain::models {
namespace {

class ConvNet : public Model {
 public:
  ConvNet(const ModelSpec& spec, at::Generator generator) : spec_(spec) {
    const ConvNetSpec& net = spec.convnet;
    const auto conv = [&](std::int64_t in, std::int64_t out) {
      return std::make_shared<Conv2d>(
          Conv2d::Shape{
              .in = in, .out = out, .kernel = net.kernel, .bias = true},
          generator);
    };
    const std::int64_t grid = net.grid(spec.image_size);
    conv1_ = register_module("conv1", conv(spec.channels, net.widths[0]));
    conv2_ = register_module("conv2", conv(net.widths[0], net.widths[1]));
    fc1_ = register_module(
        "fc1",
        std::make_shared<Linear>(
            net.widths[1] * grid * grid, net.hidden, generator));
    fc2_ = register_module(
        "fc2",
        std::make_shared<Linear>(net.hidden, spec.num_classes, generator));
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    VITRAIN_CHECK(
        images.dim() == 4 && images.size(1) == spec_.channels &&
            images.size(2) == spec_.image_size &&
            images.size(3) == spec_.image_size,
        ExitCode::kInternal,
        "a batch of another shape than the model's images [N, {0}, {1}, {1}]",
        spec_.channels,
        spec_.image_size);
    // Rows of `drop`: first the channels of conv2, then the units of fc1.
    const std::int64_t channels = spec_.convnet.widths[1];
    at::Tensor x = at::max_pool2d((*conv1_)(images), 2).relu();
    x = (*conv2_)(x);
    if (drop.defined()) {
      x = x * drop.narrow(0, 0, channels).t().unsqueeze(2).unsqueeze(3);
    }
    x = at::max_pool2d(x, 2).relu().flatten(1);
    x = (*fc1_)(x).relu();
    if (drop.defined()) {
      x = x * drop.narrow(0, channels, spec_.convnet.hidden).t();
    }
    return (*fc2_)(x);
  }

  std::vector<double> drop_rates() const override {
    const ConvNetSpec& net = spec_.convnet;
    return std::vector<double>(
        static_cast<std::size_t>(net.widths[1] + net.hidden), net.dropout);
  }

 private:
  ModelSpec spec_;
  std::shared_ptr<Conv2d> conv1_;
  std::shared_ptr<Conv2d> conv2_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

} // namespace

std::shared_ptr<Model> make_convnet(const ModelSpec& spec, std::uint64_t seed) {
  return std::make_shared<ConvNet>(spec, at::detail::createCPUGenerator(seed));
}

} // namespace vitrain::models

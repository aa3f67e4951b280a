#include "models/families/convnet.h"

#include <fmt/format.h>

#include <ATen/ATen.h>

#include "models/layers/layers.h"
#include "models/model.h"

namespace vitrain::models {
namespace convnet {
namespace {

constexpr std::array kNetworks{
    NamedNetwork<ConvNetSpec>{"mnist_convnet", 28, 1, {}}};

// Side of what is left of an image after both convolutions and poolings; below
// 1: it is too small.
std::int64_t grid_of(const ConvNetSpec& net, std::int64_t image_size) {
  return ((image_size - net.kernel + 1) / 2 - net.kernel + 1) / 2;
}

class ConvNet : public Model {
 public:
  ConvNet(const ModelSpec& spec, at::Generator generator) : spec_(spec) {
    const auto& net = spec.get<ConvNetSpec>();
    const auto conv = [&](std::int64_t in, std::int64_t out) {
      return Conv2d::Shape{
          .in = in, .out = out, .kernel = net.kernel, .bias = true};
    };
    const auto [first, second] = net.widths;
    const std::int64_t grid = grid_of(net, spec.image_size);
    conv1_ = add_layer<Conv2d>(
        *this, "conv1", conv(spec.channels, first), generator);
    conv2_ = add_layer<Conv2d>(*this, "conv2", conv(first, second), generator);
    fc1_ = add_layer<Linear>(
        *this, "fc1", second * grid * grid, net.hidden, generator);
    fc2_ = add_layer<Linear>(
        *this, "fc2", net.hidden, spec.num_classes, generator);
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    check_images(images, spec_);
    // Rows of `drop`: first the channels of conv2, then the units of fc1.
    const auto& net = spec_.get<ConvNetSpec>();
    const std::int64_t channels = net.widths[1];
    at::Tensor x = at::max_pool2d((*conv1_)(images), 2).relu();
    x = (*conv2_)(x);
    if (drop.defined()) {
      x = x * drop.narrow(0, 0, channels).t().unsqueeze(2).unsqueeze(3);
    }
    x = at::max_pool2d(x, 2).relu().flatten(1);
    x = (*fc1_)(x).relu();
    if (drop.defined()) {
      x = x * drop.narrow(0, channels, net.hidden).t();
    }
    return (*fc2_)(x);
  }

  std::vector<double> drop_rates() const override {
    const auto& net = spec_.get<ConvNetSpec>();
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

void check_size(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const std::int64_t size = config.image_size.value_or(named.image_size);
  checker.require(
      grid_of(named.get<ConvNetSpec>(), size) >= 1,
      "model.image_size",
      fmt::format(
          "image_size {} is too small for {}: its two 5x5 convolutions and "
          "poolings need at least 16 pixels",
          size,
          named.name),
      {"model.name"});
}

std::string identity(const ModelSpec& spec) {
  return fmt::format("image {}, {} channels", spec.image_size, spec.channels);
}

ActivationBytes activations(const ModelSpec& spec, bool /*bf16*/) {
  const auto& net = spec.get<ConvNetSpec>();
  const std::int64_t first = spec.image_size - net.kernel + 1;
  const std::int64_t second = first / 2 - net.kernel + 1;
  const std::int64_t area1 = net.widths[0] * first * first;
  const std::int64_t area2 = net.widths[1] * second * second;
  const std::int64_t kept = spec.input_numbers() + area1 + 2 * area2 +
      (area1 + area2) / 4 * 4 + 4 * net.hidden;
  return {
      .kept = kept * kFp32Bytes,
      .passing = (spec.input_numbers() + 2 * area1) * kFp32Bytes};
}

} // namespace
} // namespace convnet

const Family kConvNet{
    .name = "convnet",
    .list = names_in<convnet::kNetworks>,
    .find = find_in<convnet::kNetworks>,
    .check = convnet::check_size,
    .describe =
        [](const ModelSpec&) {
          return std::string(
              "2 convolutions and 2 linear layers with dropout, grey input");
        },
    .identity = convnet::identity,
    .activations = convnet::activations,
    .make = make_network<convnet::ConvNet>};

} // namespace vitrain::models

#include "models/families/convnet.h"

#include <fmt/format.h>

#include <ATen/ATen.h>

#include "core/check.h"
#include "models/layers/layers.h"
#include "models/model.h"

namespace vitrain::models {
namespace convnet {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr const char* kName = "mnist_convnet";
constexpr std::int64_t kImage = 28;

// Side of what is left of an image after both convolutions and poolings; below
// 1: it is too small.
std::int64_t grid_of(const ConvNetSpec& net, std::int64_t image_size) {
  return ((image_size - net.kernel + 1) / 2 - net.kernel + 1) / 2;
}

const ConvNetSpec& of(const ModelSpec& spec) {
  return std::any_cast<const ConvNetSpec&>(spec.numbers);
}

class ConvNet : public Model {
 public:
  ConvNet(const ModelSpec& spec, at::Generator generator) : spec_(spec) {
    const ConvNetSpec& net = of(spec);
    const auto conv = [&](std::int64_t in, std::int64_t out) {
      return std::make_shared<Conv2d>(
          Conv2d::Shape{
              .in = in, .out = out, .kernel = net.kernel, .bias = true},
          generator);
    };
    const std::int64_t grid = grid_of(net, spec.image_size);
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
    const std::int64_t channels = of(spec_).widths[1];
    at::Tensor x = at::max_pool2d((*conv1_)(images), 2).relu();
    x = (*conv2_)(x);
    if (drop.defined()) {
      x = x * drop.narrow(0, 0, channels).t().unsqueeze(2).unsqueeze(3);
    }
    x = at::max_pool2d(x, 2).relu().flatten(1);
    x = (*fc1_)(x).relu();
    if (drop.defined()) {
      x = x * drop.narrow(0, channels, of(spec_).hidden).t();
    }
    return (*fc2_)(x);
  }

  std::vector<double> drop_rates() const override {
    const ConvNetSpec& net = of(spec_);
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

std::optional<ModelSpec> find(const std::string& name) {
  if (name != kName) {
    return std::nullopt;
  }
  ModelSpec spec;
  spec.image_size = kImage;
  spec.channels = 1;
  spec.numbers = ConvNetSpec{};
  return spec;
}

void check_size(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const std::int64_t size = config.image_size.value_or(named.image_size);
  checker.require(
      grid_of(of(named), size) >= 1,
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
  const ConvNetSpec& net = of(spec);
  const std::int64_t first = spec.image_size - net.kernel + 1;
  const std::int64_t second = first / 2 - net.kernel + 1;
  const std::int64_t area1 = net.widths[0] * first * first;
  const std::int64_t area2 = net.widths[1] * second * second;
  const std::int64_t kept = spec.input_numbers() + area1 + 2 * area2 +
      (area1 + area2) / 4 * 4 + 4 * net.hidden;
  return {
      .kept = kept * kFp32,
      .passing = (spec.input_numbers() + 2 * area1) * kFp32};
}

} // namespace
} // namespace convnet

const Family kConvNet{
    .name = "convnet",
    .list = [] { return std::vector<std::string>{convnet::kName}; },
    .find = convnet::find,
    .options = [](const ModelSpec&) { return std::vector<std::string_view>{}; },
    .check = convnet::check_size,
    .describe =
        [](const ModelSpec&) {
          return std::string(
              "2 convolutions and 2 linear layers with dropout, grey input");
        },
    .identity = convnet::identity,
    .activations = convnet::activations,
    .make = [](const ModelSpec& spec,
               const at::Generator& generator) -> std::shared_ptr<Model> {
      return std::make_shared<convnet::ConvNet>(spec, generator);
    }};

} // namespace vitrain::models

#include "models/families/convnet.h"

#include <fmt/format.h>

#include <ATen/ATen.h>

#include "networks/layers/layers.h"
#include "networks/model.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

class ConvNet : public Model {
 public:
  ConvNet(const models::ModelSpec& spec, at::Generator generator)
      : spec_(spec) {
    const auto& net = spec.get<models::ConvNetSpec>();
    const auto conv = [&](std::int64_t in, std::int64_t out) {
      return Conv2d::Shape{
          .in = in, .out = out, .kernel = net.kernel, .bias = true};
    };
    const auto [first, second] = net.widths;
    const ImageSize grid = models::convnet::grid_of(net, spec.image_size);
    conv1_ = add_layer<Conv2d>(
        *this, "conv1", conv(spec.channels, first), generator);
    conv2_ = add_layer<Conv2d>(*this, "conv2", conv(first, second), generator);
    fc1_ = add_layer<Linear>(
        *this, "fc1", second * grid.area(), net.hidden, generator);
    fc2_ = add_layer<Linear>(
        *this, "fc2", net.hidden, spec.num_classes, generator);
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout) override {
    const DropoutScope masks(dropout);
    check_images(images, spec_);
    // Rows of `drop`: first the channels of conv2, then the units of fc1.
    const auto& net = spec_.get<models::ConvNetSpec>();
    const std::int64_t channels = net.widths[1];
    at::Tensor x = at::max_pool2d((*conv1_)(images), 2).relu_();
    x = (*conv2_)(x);
    if (drop.defined()) {
      x = x * drop.narrow(0, 0, channels).t().unsqueeze(2).unsqueeze(3);
    }
    x = at::max_pool2d(x, 2).relu_().flatten(1);
    x = (*fc1_)(x).relu_();
    if (drop.defined()) {
      x = x * drop.narrow(0, channels, net.hidden).t();
    }
    return (*fc2_)(x);
  }

  std::vector<double> drop_rates() const override {
    const auto& net = spec_.get<models::ConvNetSpec>();
    return std::vector<double>(
        static_cast<std::size_t>(net.widths[1] + net.hidden), net.dropout);
  }

 private:
  models::ModelSpec spec_;
  std::shared_ptr<Conv2d> conv1_;
  std::shared_ptr<Conv2d> conv2_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

} // namespace

const MakeNetwork make_convnet = construct<ConvNet>;

} // namespace vitrain::networks

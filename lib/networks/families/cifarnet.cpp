#include "models/families/cifarnet.h"

#include <array>
#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/image_start.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kNormEps = 1e-12;
// Weight of the batch statistics in the running ones.
constexpr double kNormMomentum = 0.4;
constexpr double kWhitenEps = 5e-4;
constexpr std::int64_t kWhitenImages = 5000;

// Sets the first outputs of `conv` to the identity of its inputs (Zagoruyko and
// Komodakis, "DiracNets", 2017); the other outputs keep their random weights.
void pass_inputs_on(Conv2d& conv) {
  if (conv.weight.is_meta()) {
    return;
  }
  const at::NoGradGuard no_grad;
  const std::int64_t inputs = conv.weight.size(1);
  const std::int64_t middle = conv.weight.size(2) / 2;
  conv.weight.narrow(0, 0, inputs).zero_();
  conv.weight.narrow(0, 0, inputs)
      .select(3, middle)
      .select(2, middle)
      .diagonal()
      .fill_(1);
}

class CifarGroup : public torch::nn::Module {
 public:
  CifarGroup(
      std::int64_t in,
      std::int64_t out,
      const at::Generator& generator) {
    conv1_ = add_conv("conv1", in, out, generator);
    norm1_ =
        add_layer<BatchNorm2d>(*this, "norm1", out, kNormEps, kNormMomentum);
    conv2_ = add_conv("conv2", out, out, generator);
    norm2_ =
        add_layer<BatchNorm2d>(*this, "norm2", out, kNormEps, kNormMomentum);
  }

  // [N, in, H, W] -> [N, out, H / 2, W / 2]
  at::Tensor operator()(const at::Tensor& images) {
    at::Tensor x = at::max_pool2d((*conv1_)(images), 2);
    x = at::gelu((*norm1_)(x));
    return at::gelu((*norm2_)((*conv2_)(x)));
  }

 private:
  std::shared_ptr<Conv2d> add_conv(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      const at::Generator& generator) {
    const Conv2d::Shape shape{.in = in, .out = out, .kernel = 3, .padding = 1};
    auto conv = add_layer<Conv2d>(*this, name, shape, generator);
    pass_inputs_on(*conv);
    conv->use_channels_last();
    return conv;
  }

  std::shared_ptr<Conv2d> conv1_;
  std::shared_ptr<BatchNorm2d> norm1_;
  std::shared_ptr<Conv2d> conv2_;
  std::shared_ptr<BatchNorm2d> norm2_;
};

class CifarNet : public ImageModel, public ImageStart {
 public:
  CifarNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::CifarNetSpec>();
    std::int64_t width = models::cifarnet::whitened_channels(spec);
    const Conv2d::Shape shape{
        .in = spec.channels,
        .out = width,
        .kernel = net.whiten_kernel,
        .bias = true};
    whiten_ = add_layer<Conv2d>(*this, "whiten", shape, generator);
    pass_inputs_on(*whiten_);
    constant(whiten_->bias, 0.0);
    whiten_->use_channels_last();
    for (std::size_t i = 0; i < net.widths.size(); ++i) {
      groups_[i] = add_layer<CifarGroup>(
          *this,
          "group" + std::to_string(i + 1),
          width,
          net.widths[i],
          generator);
      width = net.widths[i];
    }
    head_ = add_layer<Linear>(
        *this,
        "head",
        width * models::cifarnet::grid_of(spec).area(),
        spec.num_classes,
        generator,
        /*with_bias=*/false);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    at::Tensor x = at::gelu((*whiten_)(images));
    for (const auto& group : groups_) {
      x = (*group)(x);
    }
    x = at::max_pool2d(x, models::cifarnet::kLastPooling).flatten(1);
    return (*head_)(x)*spec_.get<models::CifarNetSpec>().head_scale;
  }

  std::int64_t start_images() const override { return kWhitenImages; }

  void start_from(const at::Tensor& images) override {
    const at::NoGradGuard no_grad;
    whiten_->weight.copy_(whitening_filters(
        images, spec_.get<models::CifarNetSpec>().whiten_kernel, kWhitenEps));
  }

 private:
  std::shared_ptr<Conv2d> whiten_;
  std::array<std::shared_ptr<CifarGroup>, 3> groups_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_cifarnet = construct<CifarNet>;

} // namespace vitrain::networks

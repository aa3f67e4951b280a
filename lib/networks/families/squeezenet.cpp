#include "models/families/squeezenet.h"

#include <cmath>
#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

class SqueezeNet : public ImageModel {
 public:
  SqueezeNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::SqueezeNetSpec>();
    const Layers layers(*this, generator);
    const Layers features = layers.in("features");
    std::vector<Step> steps{
        features.conv(
            "0",
            {.in = spec.channels,
             .out = net.stem,
             .kernel = net.kernel,
             .stride = 2,
             .bias = true}),
        relu()};
    std::int64_t channels = net.stem;
    std::int64_t number = 2; // number of the next layer
    for (const std::int64_t squeezed : net.fires) {
      if (squeezed == 0) {
        steps.push_back(max_pool(3, 2, 0, /*ceil=*/true));
      } else {
        steps.push_back(
            fire(features.in(std::to_string(number)), channels, squeezed));
        channels = 8 * squeezed;
      }
      ++number;
    }
    features_ = chain(std::move(steps));
    classifier_ = add_layer<Conv2d>(
        layers.in("classifier").owner(),
        "1",
        padded_shape(channels, spec.num_classes).with_bias(),
        generator);
    init_convs(*this, [&](Conv2d& conv) {
      if (&conv == classifier_.get()) {
        normal(conv.weight, 0.01, generator);
      } else { // He et al., ICCV 2015
        const auto fan_in = static_cast<double>(conv.weight[0].numel());
        const double std = std::sqrt(2.0) / std::sqrt(fan_in);
        uniform(conv.weight, std::sqrt(3.0) * std, generator);
      }
      constant(conv.bias, 0.0);
    });
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    const at::Tensor x =
        features_(images.contiguous(at::MemoryFormat::ChannelsLast));
    return mean_over_pixels(
        apply_in_place((*classifier_)(x), Nonlinearity::kRelu));
  }

 private:
  static Step
  fire(const Layers& layers, std::int64_t in, std::int64_t squeezed) {
    const auto conv = [&](const char* name,
                          std::int64_t from,
                          std::int64_t to,
                          std::int64_t kernel) {
      return chain(
          {layers.conv(name, padded_shape(from, to, kernel).with_bias()),
           relu()});
    };
    const std::int64_t wide = 4 * squeezed;
    Step squeeze = conv("squeeze", in, squeezed, 1);
    return chain(
        {std::move(squeeze),
         concat(
             {conv("expand1x1", squeezed, wide, 1),
              conv("expand3x3", squeezed, wide, 3)})});
  }

  Step features_;
  std::shared_ptr<Conv2d> classifier_;
};

} // namespace

const MakeNetwork make_squeezenet = construct<SqueezeNet>;

} // namespace vitrain::networks

#include "models/families/densenet.h"

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

using models::DenseNetSpec;

constexpr std::int64_t kBottleneck = 4; // channels of a bottleneck / growth

class DenseNet : public ImageModel {
 public:
  DenseNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<DenseNetSpec>();
    const Layers features = Layers(*this, generator).in("features");
    std::vector<Step> steps{stem(net, features), max_pool(3, 2, 1)};
    std::int64_t channels = 2 * net.growth;
    for (std::size_t i = 0; i < net.depths.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      const Layers block = features.in("denseblock" + number);
      for (std::int64_t n = 1; n <= net.depths[i]; ++n) {
        const Layers layer = block.in("denselayer" + std::to_string(n));
        steps.push_back(dense(layer, channels, net.growth));
        channels += net.growth;
      }
      if (i + 1 < net.depths.size()) {
        steps.push_back(
            transition(features.in("transition" + number), channels));
        channels /= 2;
      }
    }
    steps.push_back(features.norm("norm5", channels));
    features_ = chain(std::move(steps));
    classifier_ = add_layer<Linear>(
        *this, "classifier", channels, spec.num_classes, generator);
    init_convs(*this, [&](Conv2d& conv) {
      const auto fan_in = static_cast<double>(conv.weight[0].numel());
      normal(conv.weight, std::sqrt(2.0 / fan_in), generator);
    });
    constant(classifier_->bias, 0.0);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    return (*classifier_)(mean_over_pixels(
        features_(images.contiguous(at::MemoryFormat::ChannelsLast))));
  }

 private:
  Step stem(const DenseNetSpec& net, const Layers& features) const {
    const std::int64_t channels = spec_.channels;
    const std::int64_t width = 2 * net.growth;
    if (!net.deep_stem) {
      return features.conv_norm(
          "conv0", "norm0", padded_shape(channels, width, 7, 2));
    }
    const std::int64_t half = net.growth;
    std::vector<Step> steps;
    steps.push_back(features.conv_norm(
        "conv0", "norm0", padded_shape(channels, half, 3, 2)));
    steps.push_back(
        features.conv_norm("conv1", "norm1", padded_shape(half, half, 3)));
    steps.push_back(
        features.conv_norm("conv2", "norm2", padded_shape(half, width, 3)));
    return chain(std::move(steps));
  }

  // Appends `growth` channels to the image.
  static Step dense(const Layers& layer, std::int64_t in, std::int64_t growth) {
    const std::int64_t hidden = kBottleneck * growth;
    std::vector<Step> steps;
    steps.push_back(layer.norm("norm1", in));
    steps.push_back(
        layer.conv_norm("conv1", "norm2", padded_shape(in, hidden)));
    steps.push_back(layer.conv("conv2", padded_shape(hidden, growth, 3)));
    return concat({identity(), chain(std::move(steps))});
  }

  static Step transition(const Layers& layers, std::int64_t channels) {
    std::vector<Step> steps;
    steps.push_back(layers.norm("norm", channels));
    steps.push_back(layers.conv("conv", padded_shape(channels, channels / 2)));
    steps.push_back(average_pool(2, 2));
    return chain(std::move(steps));
  }

  Step features_;
  std::shared_ptr<Linear> classifier_;
};

} // namespace

const MakeNetwork make_densenet = construct<DenseNet>;

} // namespace vitrain::networks

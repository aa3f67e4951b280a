#include "models/families/vgg.h"

#include <algorithm>
#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

// Least side of the feature map at the fully connected layers; smaller ones are
// enlarged.
constexpr std::int64_t kVggSide = 7;

class Vgg : public ImageModel {
 public:
  Vgg(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::VggSpec>();
    const Layers layers(*this, generator);
    const Layers features = layers.in("features");
    std::vector<Step> steps;
    std::int64_t channels = spec.channels;
    std::int64_t number = 0; // torch counts activations and poolings, too
    for (const std::int64_t width : net.widths) {
      if (width == 0) {
        steps.push_back(max_pool(2, 2));
        ++number;
        continue;
      }
      steps.push_back(features.conv(
          std::to_string(number),
          padded_shape(channels, width, 3).with_bias()));
      steps.push_back(
          net.norm ? features.norm(std::to_string(number + 1), width) : relu());
      number += net.norm ? 3 : 2;
      channels = width;
    }
    features_ = chain(std::move(steps));
    const Layers hidden = layers.in("pre_logits");
    const Conv2d::Shape whole{
        .in = channels, .out = net.hidden, .kernel = kVggSide, .bias = true};
    const Conv2d::Shape pointwise{
        .in = net.hidden, .out = net.features, .bias = true};
    // In this order: the first layer is sampled first.
    Step first = hidden.conv("fc1", whole);
    hidden_ = chain(
        {std::move(first), relu(), hidden.conv("fc2", pointwise), relu()});
    fc_ = add_layer<Linear>(
        layers.in("head").owner(),
        "fc",
        net.features,
        spec.num_classes,
        generator);
    init_convs(*this, [&](Conv2d& conv) {
      normal_by_fan_out(conv.weight, generator);
      constant(conv.bias, 0.0);
    });
    normal(fc_->weight, 0.01, generator);
    constant(fc_->bias, 0.0);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    at::Tensor x = features_(images.contiguous(at::MemoryFormat::ChannelsLast));
    if (std::min(x.size(2), x.size(3)) < kVggSide) {
      x = at::adaptive_avg_pool2d(
          x, {std::max(x.size(2), kVggSide), std::max(x.size(3), kVggSide)});
    }
    return (*fc_)(mean_over_pixels(hidden_(x)));
  }

 private:
  Step features_;
  Step hidden_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_vgg = construct<Vgg>;

} // namespace vitrain::networks

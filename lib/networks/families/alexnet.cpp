#include "models/families/alexnet.h"

#include <array>
#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

class AlexNet : public ImageModel {
 public:
  AlexNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const Layers features = Layers(*this, generator).in("features");
    const auto conv = [&](const char* name, const Conv2d::Shape& shape) {
      return chain({features.conv(name, shape.with_bias()), relu()});
    };
    features_ = chain(
        {conv("0", {spec.channels, 64, 11, 4, 2}),
         max_pool(3, 2),
         conv("3", padded_shape(64, 192, 5)),
         max_pool(3, 2),
         conv("6", padded_shape(192, 384, 3)),
         conv("8", padded_shape(384, 256, 3)),
         conv("10", padded_shape(256, 256, 3)),
         max_pool(3, 2)});
    const auto layers = add_layer<torch::nn::Module>(*this, "classifier");
    const std::int64_t hidden = spec.get<models::AlexNetSpec>().hidden;
    linear_ = {
        add_layer<Linear>(*layers, "1", 256 * kSide * kSide, hidden, generator),
        add_layer<Linear>(*layers, "4", hidden, hidden, generator),
        add_layer<Linear>(*layers, "6", hidden, spec.num_classes, generator)};
    init_convs(*this);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    at::Tensor x = features_(images.contiguous(at::MemoryFormat::ChannelsLast));
    if (x.size(2) != kSide || x.size(3) != kSide) {
      x = at::adaptive_avg_pool2d(x, {kSide, kSide});
    }
    x = x.flatten(1);
    for (std::size_t i = 0; i + 1 < linear_.size(); ++i) {
      x = apply_in_place((*linear_[i])(x), Nonlinearity::kRelu);
    }
    return (*linear_.back())(x);
  }

 private:
  static constexpr std::int64_t kSide = 6; // side of the averaged feature map

  Step features_;
  std::array<std::shared_ptr<Linear>, 3> linear_;
};

} // namespace

const MakeNetwork make_alexnet = construct<AlexNet>;

} // namespace vitrain::networks

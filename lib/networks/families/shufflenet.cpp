#include "models/families/shufflenet.h"

#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr std::int64_t kShuffleStem = 24; // channels

// Alternates the first half of the channels with the second half.
at::Tensor shuffle(const at::Tensor& x) {
  return x.permute({0, 2, 3, 1})
      .unflatten(-1, {2, x.size(1) / 2})
      .transpose(-1, -2)
      .flatten(-2)
      .permute({0, 3, 1, 2});
}

class ShuffleNet : public ImageModel {
 public:
  ShuffleNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::ShuffleNetSpec>();
    const Layers layers(*this, generator);
    std::vector<Step> steps{
        layers.in("conv1").conv_norm(
            "0", "1", padded_shape(spec.channels, kShuffleStem, 3, 2)),
        max_pool(3, 2, 1)};
    std::int64_t channels = kShuffleStem;
    for (std::size_t stage = 0; stage < net.depths.size(); ++stage) {
      const Layers list = layers.in("stage" + std::to_string(stage + 2));
      for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
        const Layers block = list.in(std::to_string(i));
        steps.push_back(
            i == 0 ? reducing(block, channels, net.widths[stage])
                   : keeping(block, channels / 2));
        channels = net.widths[stage];
      }
    }
    steps.push_back(layers.in("conv5").conv_norm(
        "0", "1", padded_shape(channels, net.features)));
    features_ = chain(std::move(steps));
    fc_ = add_layer<Linear>(
        *this, "fc", net.features, spec.num_classes, generator);
    init_convs(*this);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    return (*fc_)(mean_over_pixels(
        features_(images.contiguous(at::MemoryFormat::ChannelsLast))));
  }

 private:
  // 1x1, depthwise and 1x1 convolution.
  static Step convs(
      const Layers& layers,
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride) {
    return chain(
        {layers.conv_norm("0", "1", padded_shape(in, out)),
         layers.conv_norm(
             "3",
             "4",
             padded_shape(out, out, 3, stride, out),
             Nonlinearity::kNone),
         layers.conv_norm("5", "6", padded_shape(out, out))});
  }

  // Block that halves the sides of the image.
  static Step
  reducing(const Layers& layers, std::int64_t in, std::int64_t out) {
    const Layers first = layers.in("branch1");
    Step simple = chain(
        {first.conv_norm(
             "0", "1", padded_shape(in, in, 3, 2, in), Nonlinearity::kNone),
         first.conv_norm("2", "3", padded_shape(in, out / 2))});
    return chain(
        {concat(
             {std::move(simple), convs(layers.in("branch2"), in, out / 2, 2)}),
         shuffle});
  }

  // Block that keeps the first half of the channels and changes the second.
  static Step keeping(const Layers& layers, std::int64_t half) {
    return [step = convs(layers.in("branch2"), half, half, 1)](
               const at::Tensor& x) {
      const auto halves = x.chunk(2, /*dim=*/1);
      return shuffle(at::cat(
          {halves[0],
           step(halves[1].contiguous(at::MemoryFormat::ChannelsLast))},
          1));
    };
  }

  Step features_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_shufflenet = construct<ShuffleNet>;

} // namespace vitrain::networks

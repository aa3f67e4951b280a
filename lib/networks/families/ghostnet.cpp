#include "models/families/ghostnet.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "models/families/multiple_of_8.h"
#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::GhostNetSpec;

struct GhostRow {
  std::int64_t kernel;
  double hidden;
  double width;
  bool squeeze = false;
  std::int64_t stride = 1;
};

// Blocks by stage (Han et al., CVPR 2020, table 1).
const std::vector<std::vector<GhostRow>> kGhostStages{
    {{3, 16, 16}},
    {{3, 48, 24, false, 2}},
    {{3, 72, 24}},
    {{5, 72, 40, true, 2}},
    {{5, 120, 40, true}},
    {{3, 240, 80, false, 2}},
    {{3, 200, 80},
     {3, 184, 80},
     {3, 184, 80},
     {3, 480, 112, true},
     {3, 672, 112, true}},
    {{5, 672, 160, true, 2}},
    {{5, 960, 160}, {5, 960, 160, true}, {5, 960, 160}, {5, 960, 160, true}}};
constexpr double kGhostStem = 16;
constexpr double kGhostLast = 960; // channels of the last convolution
constexpr std::int64_t kGhostFeatures = 1280;

Conv2d::Shape
depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
  return padded_shape(channels, channels, kernel, stride, channels);
}

class GhostNet : public ImageModel {
 public:
  GhostNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec), factor_(spec.get<GhostNetSpec>().width) {
    const Layers layers(*this, generator);
    std::int64_t channels = scaled(kGhostStem);
    std::vector<Step> steps;
    steps.push_back(layers.conv_norm(
        "conv_stem", "bn1", padded_shape(spec.channels, channels, 3, 2)));
    const Layers stages = layers.in("blocks");
    for (std::size_t stage = 0; stage < kGhostStages.size(); ++stage) {
      const Layers list = stages.in(std::to_string(stage));
      for (std::size_t i = 0; i < kGhostStages[stage].size(); ++i) {
        const GhostRow& row = kGhostStages[stage][i];
        steps.push_back(block(list.in(std::to_string(i)), row, channels));
        channels = scaled(row.width);
      }
    }
    const std::int64_t last = scaled(kGhostLast);
    steps.push_back(
        stages.in(std::to_string(kGhostStages.size()))
            .in("0")
            .conv_norm("conv", "bn1", padded_shape(channels, last)));
    features_ = chain(std::move(steps));
    hidden_ = add_layer<Conv2d>(
        *this,
        "conv_head",
        padded_shape(last, kGhostFeatures).with_bias(),
        generator);
    classifier_ = add_layer<Linear>(
        *this, "classifier", kGhostFeatures, spec.num_classes, generator);
    init_convs(*this);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    const at::Tensor means = mean_over_pixels(
        features_(images.contiguous(at::MemoryFormat::ChannelsLast)));
    return (*classifier_)(
        apply_in_place(hidden_->pointwise(means), Nonlinearity::kRelu));
  }

 private:
  std::int64_t scaled(double channels) const {
    return models::multiple_of(4, channels * factor_);
  }

  // Computes half of the output channels by a convolution, and the other half
  // from these by a depthwise convolution.
  static Step ghost(
      const Layers& layers,
      std::int64_t in,
      std::int64_t out,
      Nonlinearity after) {
    const std::int64_t half = out / 2;
    Step primary = layers.in("primary_conv")
                       .conv_norm("0", "1", padded_shape(in, half), after);
    Step cheap = layers.in("cheap_operation")
                     .conv_norm("0", "1", depthwise(half, 3), after);
    return chain({std::move(primary), concat({identity(), std::move(cheap)})});
  }

  Step block(const Layers& layers, const GhostRow& row, std::int64_t in) const {
    const std::int64_t hidden = scaled(row.hidden);
    const std::int64_t out = scaled(row.width);
    std::vector<Step> steps{
        ghost(layers.in("ghost1"), in, hidden, Nonlinearity::kRelu)};
    if (row.stride > 1) {
      steps.push_back(layers.conv_norm(
          "conv_dw",
          "bn_dw",
          depthwise(hidden, row.kernel, row.stride),
          Nonlinearity::kNone));
    }
    if (row.squeeze) {
      const auto gate = add_layer<SqueezeExcite>(
          layers.owner(),
          "se",
          hidden,
          models::multiple_of(4, 0.25 * static_cast<double>(hidden)),
          Nonlinearity::kRelu,
          layers.generator(),
          "conv_reduce",
          "conv_expand",
          Gate::kHardSigmoid);
      steps.push_back([gate](const at::Tensor& x) { return (*gate)(x); });
    }
    steps.push_back(
        ghost(layers.in("ghost2"), hidden, out, Nonlinearity::kNone));
    return sum(chain(std::move(steps)), shortcut(layers, row, in, out));
  }

  static Step shortcut(
      const Layers& layers,
      const GhostRow& row,
      std::int64_t in,
      std::int64_t out) {
    if (in == out && row.stride == 1) {
      return identity();
    }
    const Layers part = layers.in("shortcut");
    Step first = part.conv_norm(
        "0", "1", depthwise(in, row.kernel, row.stride), Nonlinearity::kNone);
    return chain(
        {std::move(first),
         part.conv_norm("2", "3", padded_shape(in, out), Nonlinearity::kNone)});
  }

  double factor_;
  Step features_;
  std::shared_ptr<Conv2d> hidden_;
  std::shared_ptr<Linear> classifier_;
};

} // namespace

const MakeNetwork make_ghostnet = construct<GhostNet>;

} // namespace vitrain::networks

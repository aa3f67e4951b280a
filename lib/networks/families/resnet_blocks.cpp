#include "networks/families/resnet_blocks.h"

#include <array>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "models/families/multiple_of_8.h"
#include "networks/layers/blocks.h"
#include "networks/layers/squeeze_excite.h"

namespace vitrain::networks {
namespace {

using models::ResNetSpec;

// Returns the means over the pixels: [N, C, H, W] -> [N, C, 1, 1].
at::Tensor pixel_means(const at::Tensor& x) {
  return mean_over_pixels(x).unsqueeze(-1).unsqueeze(-1);
}

// Returns the sum of `images` [N, C, H, W], each times its row of `weights`
// [N, images, C].
at::Tensor weighted_sum(
    const std::vector<at::Tensor>& images,
    const at::Tensor& weights) {
  at::Tensor sum;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const at::Tensor factors = weights.select(1, static_cast<std::int64_t>(i))
                                   .unsqueeze(-1)
                                   .unsqueeze(-1);
    const at::Tensor part = images[i] * factors.to(images[i].scalar_type());
    sum = sum.defined() ? sum.add_(part) : part;
  }
  return sum;
}

} // namespace

at::Tensor halve(const at::Tensor& x) {
  return at::avg_pool2d(
      x,
      /*kernel_size=*/2,
      /*stride=*/2,
      /*padding=*/0,
      /*ceil_mode=*/true,
      /*count_include_pad=*/false);
}

Step smooth(ResNetSpec::Smoothing smoothing) {
  if (smoothing == ResNetSpec::Smoothing::kAverage) {
    return average_pool(2, 2);
  }
  // The binomial filter is a mean of 2x2 pixels of means of 2x2 pixels.
  return [](const at::Tensor& x) {
    // Reflection has no meta kernel.
    const at::Tensor padded =
        at::pad(x, {1, 1, 1, 1}, x.is_meta() ? "constant" : "reflect");
    return at::avg_pool2d(
        at::avg_pool2d(padded, /*kernel_size=*/2, /*stride=*/1),
        /*kernel_size=*/2,
        /*stride=*/2);
  };
}

NormedConv ResNetLayers::normed(
    const std::string& conv,
    const std::string& norm,
    const Conv2d::Shape& shape) const {
  auto layer = add_layer<Conv2d>(*owner_, conv, shape, generator_);
  return {
      std::move(layer),
      BatchOrGroupNorm(*owner_, norm, shape.out, net_->norm_groups)};
}

NormedConv ResNetLayers::numbered(int number, const Conv2d::Shape& shape)
    const {
  const std::string name = std::to_string(number);
  return net_->main == ResNetSpec::Main::kSelective
      ? in("conv" + name).normed("conv", "bn", shape)
      : normed("conv" + name, "bn" + name, shape);
}

Step ResNetLayers::main(int number, const Conv2d::Shape& shape, bool projects)
    const {
  switch (net_->main) {
    case ResNetSpec::Main::kSingle:
      return smoothed(number, shape);
    case ResNetSpec::Main::kSelective:
      return selective(number, shape);
    case ResNetSpec::Main::kSplit:
      return split(number, shape);
    case ResNetSpec::Main::kScales:
      return scales(shape, projects);
  }
  return {};
}

Step ResNetLayers::smoothed(int number, Conv2d::Shape shape) const {
  if (net_->smoothing == ResNetSpec::Smoothing::kNone || shape.stride == 1) {
    return numbered(number, shape);
  }
  shape.stride = 1;
  return chain({numbered(number, shape), smooth(net_->smoothing)});
}

Step ResNetLayers::selective(int number, Conv2d::Shape shape) const {
  const ResNetLayers layers = in("conv" + std::to_string(number));
  const ResNetLayers paths = layers.in("paths");
  const std::int64_t halves = net_->parts;
  shape.in /= halves;
  std::vector<NormedConv> convs;
  for (const std::int64_t dilation : {1, 2}) {
    shape.padding = shape.dilation = dilation;
    convs.push_back(
        paths.in(std::to_string(dilation - 1)).normed("conv", "bn", shape));
  }
  const ResNetLayers attention = layers.in("attn");
  const Conv2d::Shape reduce{
      .in = shape.out,
      .out = models::multiple_of(
          net_->squeeze_multiple,
          static_cast<double>(shape.out) * net_->squeeze)};
  const NormedConv reduced = attention.normed("fc_reduce", "bn", reduce);
  const Conv2d::Shape expand{.in = reduce.out, .out = 2 * shape.out};
  const auto select =
      add_layer<Conv2d>(*attention.owner_, "fc_select", expand, generator_);
  return [=](const at::Tensor& x) {
    const std::vector<at::Tensor> inputs =
        halves == 1 ? std::vector{x, x} : x.chunk(2, 1);
    const std::vector outputs{convs[0](inputs[0]), convs[1](inputs[1])};
    const at::Tensor means = pixel_means(outputs[0] + outputs[1]);
    return weighted_sum(
        outputs, (*select)(reduced(means)).view({x.size(0), 2, -1}).softmax(1));
  };
}

Step ResNetLayers::split(int number, Conv2d::Shape shape) const {
  const ResNetLayers layers = in("conv" + std::to_string(number));
  const std::int64_t radix = net_->parts;
  const std::int64_t groups = shape.groups;
  const std::int64_t width = shape.out;
  const std::int64_t stride = std::exchange(shape.stride, 1);
  shape.groups *= radix;
  shape.out *= radix;
  const NormedConv conv = layers.normed("conv", "bn0", shape);
  const std::int64_t hidden = std::max<std::int64_t>(
      models::multiple_of_8(static_cast<double>(shape.out) / 4.0), 32);
  const NormedConv reduced = layers.normed(
      "fc1",
      "bn1",
      {.in = width, .out = hidden, .bias = true, .groups = groups});
  const Conv2d::Shape expand{
      .in = hidden, .out = shape.out, .bias = true, .groups = groups};
  const auto fc2 = add_layer<Conv2d>(*layers.owner_, "fc2", expand, generator_);
  const Step attend = [=](const at::Tensor& x) {
    const std::vector<at::Tensor> parts = conv(x).chunk(radix, 1);
    at::Tensor sum = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      sum = sum + parts[i];
    }
    const at::Tensor inputs = (*fc2)(reduced(pixel_means(sum)));
    const std::int64_t images = x.size(0);
    return weighted_sum(
        parts,
        radix == 1 ? inputs.sigmoid().view({images, 1, width})
                   : inputs.view({images, groups, radix, width / groups})
                         .transpose(1, 2)
                         .softmax(1)
                         .reshape({images, radix, width}));
  };
  if (stride == 1) {
    return attend;
  }
  const Step pool = average_pool(3, stride, 1);
  return net_->average_first ? chain({pool, attend}) : chain({attend, pool});
}

Step ResNetLayers::scales(const Conv2d::Shape& shape, bool projects) const {
  const std::int64_t parts = net_->parts;
  const ResNetLayers convs = in("convs");
  const ResNetLayers norms = in("bns");
  std::vector<NormedConv> layers;
  for (std::int64_t i = 0; i + 1 < parts; ++i) {
    const std::string name = std::to_string(i);
    auto conv = add_layer<Conv2d>(*convs.owner_, name, shape, generator_);
    layers.push_back(
        {std::move(conv),
         BatchOrGroupNorm(*norms.owner_, name, shape.out, net_->norm_groups)});
  }
  const Step last =
      projects ? average_pool(3, shape.stride, 1) : networks::identity();
  return [=](const at::Tensor& x) {
    const std::vector<at::Tensor> inputs = x.chunk(parts, 1);
    std::vector<at::Tensor> outputs;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      outputs.push_back(layers[i](
          i == 0 || projects ? inputs[i] : outputs.back() + inputs[i]));
    }
    outputs.push_back(last(inputs.back()));
    return at::cat(outputs, /*dim=*/1);
  };
}

ResNetLayers ResNetLayers::in(const std::string& name) const {
  return {*add_layer<torch::nn::Module>(*owner_, name), *net_, generator_};
}

} // namespace vitrain::networks

#include "models/families/inception.h"

#include <array>
#include <string>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/layers/steps.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

constexpr double kInceptionEps = 1e-3;

// Convolutions with BatchNorm and ReLU, registered as `name`.conv and
// `name`.bn.
class InceptionLayers {
 public:
  explicit InceptionLayers(const Layers& layers) : layers_(layers) {}

  InceptionLayers in(const std::string& name) const {
    return InceptionLayers(layers_.in(name));
  }
  // Keeps the image size at stride 1.
  Step same(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      std::int64_t kernel = 1,
      std::int64_t stride = 1) const {
    return conv(name, padded_shape(in, out, kernel, stride));
  }
  // Without padding.
  Step valid(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      std::int64_t stride = 1) const {
    return conv(name, {.in = in, .out = out, .kernel = 3, .stride = stride});
  }
  // Kernels of one row and of one column.
  Step row(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      std::int64_t kernel) const {
    return conv(
        name,
        {.in = in,
         .out = out,
         .kernel_width = kernel,
         .padding_width = kernel / 2});
  }
  Step column(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      std::int64_t kernel) const {
    return conv(
        name,
        {.in = in,
         .out = out,
         .kernel = kernel,
         .padding = kernel / 2,
         .kernel_width = 1});
  }

 private:
  Step conv(const std::string& name, const Conv2d::Shape& shape) const {
    return layers_.in(name).conv_norm("conv", "bn", shape);
  }

  Layers layers_;
};

// Blocks of Inception V3, in the order of the paper's figures 5, 10, 6, 10, 7.

Step block_5x5(
    const InceptionLayers& layers,
    std::int64_t in,
    std::int64_t pooled) {
  Step direct = layers.same("branch1x1", in, 64);
  Step middle = chain(
      {layers.same("branch5x5_1", in, 48),
       layers.same("branch5x5_2", 48, 64, 5)});
  Step twice = chain(
      {layers.same("branch3x3dbl_1", in, 64),
       layers.same("branch3x3dbl_2", 64, 96, 3),
       layers.same("branch3x3dbl_3", 96, 96, 3)});
  Step pool =
      chain({average_pool(3, 1, 1), layers.same("branch_pool", in, pooled)});
  return concat({direct, middle, twice, pool});
}

Step reduction_3x3(const InceptionLayers& layers, std::int64_t in) {
  Step direct = layers.valid("branch3x3", in, 384, 2);
  Step twice = chain(
      {layers.same("branch3x3dbl_1", in, 64),
       layers.same("branch3x3dbl_2", 64, 96, 3),
       layers.valid("branch3x3dbl_3", 96, 96, 2)});
  return concat({direct, twice, max_pool(3, 2)});
}

Step block_7x7(
    const InceptionLayers& layers,
    std::int64_t in,
    std::int64_t hidden) {
  Step direct = layers.same("branch1x1", in, 192);
  Step once = chain(
      {layers.same("branch7x7_1", in, hidden),
       layers.row("branch7x7_2", hidden, hidden, 7),
       layers.column("branch7x7_3", hidden, 192, 7)});
  Step twice = chain(
      {layers.same("branch7x7dbl_1", in, hidden),
       layers.column("branch7x7dbl_2", hidden, hidden, 7),
       layers.row("branch7x7dbl_3", hidden, hidden, 7),
       layers.column("branch7x7dbl_4", hidden, hidden, 7),
       layers.row("branch7x7dbl_5", hidden, 192, 7)});
  Step pool =
      chain({average_pool(3, 1, 1), layers.same("branch_pool", in, 192)});
  return concat({direct, once, twice, pool});
}

Step reduction_7x7(const InceptionLayers& layers, std::int64_t in) {
  Step small = chain(
      {layers.same("branch3x3_1", in, 192),
       layers.valid("branch3x3_2", 192, 320, 2)});
  Step large = chain(
      {layers.same("branch7x7x3_1", in, 192),
       layers.row("branch7x7x3_2", 192, 192, 7),
       layers.column("branch7x7x3_3", 192, 192, 7),
       layers.valid("branch7x7x3_4", 192, 192, 2)});
  return concat({small, large, max_pool(3, 2)});
}

Step block_wide(const InceptionLayers& layers, std::int64_t in) {
  Step direct = layers.same("branch1x1", in, 320);
  Step first = layers.same("branch3x3_1", in, 384);
  Step once = chain(
      {first,
       concat(
           {layers.row("branch3x3_2a", 384, 384, 3),
            layers.column("branch3x3_2b", 384, 384, 3)})});
  Step second = chain(
      {layers.same("branch3x3dbl_1", in, 448),
       layers.same("branch3x3dbl_2", 448, 384, 3)});
  Step twice = chain(
      {second,
       concat(
           {layers.row("branch3x3dbl_3a", 384, 384, 3),
            layers.column("branch3x3dbl_3b", 384, 384, 3)})});
  Step pool =
      chain({average_pool(3, 1, 1), layers.same("branch_pool", in, 192)});
  return concat({direct, once, twice, pool});
}

Step inception_v3(const InceptionLayers& net, std::int64_t channels) {
  return chain(
      {net.valid("Conv2d_1a_3x3", channels, 32, 2),
       net.valid("Conv2d_2a_3x3", 32, 32),
       net.same("Conv2d_2b_3x3", 32, 64, 3),
       max_pool(3, 2),
       net.same("Conv2d_3b_1x1", 64, 80),
       net.valid("Conv2d_4a_3x3", 80, 192),
       max_pool(3, 2),
       block_5x5(net.in("Mixed_5b"), 192, 32),
       block_5x5(net.in("Mixed_5c"), 256, 64),
       block_5x5(net.in("Mixed_5d"), 288, 64),
       reduction_3x3(net.in("Mixed_6a"), 288),
       block_7x7(net.in("Mixed_6b"), 768, 128),
       block_7x7(net.in("Mixed_6c"), 768, 160),
       block_7x7(net.in("Mixed_6d"), 768, 160),
       block_7x7(net.in("Mixed_6e"), 768, 192),
       reduction_7x7(net.in("Mixed_7a"), 768),
       block_wide(net.in("Mixed_7b"), 1280),
       block_wide(net.in("Mixed_7c"), 2048)});
}

// Channels of GoogLeNet's branches: 1x1; 3x3 and the 1x1 before it; the same of
// a second branch (called 5x5 in the paper); after the pooling.
struct Widths {
  std::int64_t in;
  std::int64_t direct;
  std::array<std::int64_t, 2> second;
  std::array<std::int64_t, 2> third;
  std::int64_t pooled;
};

Step block_v1(const InceptionLayers& layers, const Widths& widths) {
  const std::int64_t in = widths.in;
  Step direct = layers.same("branch1", in, widths.direct);
  const auto pair = [&](const char* name,
                        const std::array<std::int64_t, 2>& of) {
    const InceptionLayers branch = layers.in(name);
    return chain(
        {branch.same("0", in, of[0]), branch.same("1", of[0], of[1], 3)});
  };
  Step second = pair("branch2", widths.second);
  Step third = pair("branch3", widths.third);
  Step pool = chain(
      {max_pool(3, 1, 1), layers.in("branch4").same("1", in, widths.pooled)});
  return concat({direct, second, third, pool});
}

Step googlenet(const InceptionLayers& net, std::int64_t channels) {
  const auto pool = [](std::int64_t kernel) {
    return max_pool(kernel, 2, 0, /*ceil=*/true);
  };
  const auto block = [&](const char* name, const Widths& widths) {
    return block_v1(net.in(std::string("inception") + name), widths);
  };
  return chain(
      {net.same("conv1", channels, 64, 7, 2),
       pool(3),
       net.same("conv2", 64, 64),
       net.same("conv3", 64, 192, 3),
       pool(3),
       block("3a", {192, 64, {96, 128}, {16, 32}, 32}),
       block("3b", {256, 128, {128, 192}, {32, 96}, 64}),
       pool(3),
       block("4a", {480, 192, {96, 208}, {16, 48}, 64}),
       block("4b", {512, 160, {112, 224}, {24, 64}, 64}),
       block("4c", {512, 128, {128, 256}, {24, 64}, 64}),
       block("4d", {512, 112, {144, 288}, {32, 64}, 64}),
       block("4e", {528, 256, {160, 320}, {32, 128}, 128}),
       pool(2),
       block("5a", {832, 256, {160, 320}, {32, 128}, 128}),
       block("5b", {832, 384, {192, 384}, {48, 128}, 128})});
}

class Inception : public ImageModel {
 public:
  Inception(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const InceptionLayers layers(Layers(*this, generator, kInceptionEps));
    const bool third = spec.family == &models::kInception;
    features_ = third ? inception_v3(layers, spec.channels)
                      : googlenet(layers, spec.channels);
    fc_ = add_layer<Linear>(
        *this, "fc", third ? 2048 : 1024, spec.num_classes, generator);
    const double std = third ? 0.1 : 0.01;
    init_convs(*this, [&](Conv2d& conv) {
      truncated_normal(conv.weight, std, generator);
    });
    truncated_normal(fc_->weight, std, generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& /*drop*/)
      override {
    return (*fc_)(mean_over_pixels(
        features_(images.contiguous(at::MemoryFormat::ChannelsLast))));
  }

 private:
  Step features_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_inception = construct<Inception>;

} // namespace vitrain::networks

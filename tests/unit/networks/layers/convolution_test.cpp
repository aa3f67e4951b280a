// Convolutions of Conv2d where torch's own are wrong or slow in bf16.

#include <malloc.h>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {
namespace {

// bf16 under autocast, until it ends.
class InBf16 {
 public:
  InBf16() {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
  ~InBf16() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  InBf16(const InBf16&) = delete;
  InBf16& operator=(const InBf16&) = delete;
};

struct ConvolutionResult {
  at::Tensor outputs;
  at::Tensor weight_gradient;
  at::Tensor input_gradient;
};

// Forward, and backward of outputs that are all wanted larger by one.
ConvolutionResult forward_backward(Conv2d& layer, const at::Tensor& images) {
  const at::Tensor x = images.detach().clone().requires_grad_();
  layer.zero_grad();
  ConvolutionResult result;
  result.outputs = layer(x);
  result.outputs.sum().backward();
  result.weight_gradient = layer.weight.grad().clone();
  result.input_gradient = x.grad();
  return result;
}

Conv2d depthwise(std::int64_t kernel, std::int64_t stride) {
  return Conv2d(
      {.in = 24,
       .out = 24,
       .kernel = kernel,
       .stride = stride,
       .padding = kernel / 2,
       .groups = 24},
      at::detail::createCPUGenerator(1));
}

at::Tensor numbers_exact_in_bf16() {
  return at::arange(3 * 24 * 13 * 11, at::kFloat)
      .remainder(17)
      .sub(8)
      .div(8) // exact in bf16
      .view({3, 24, 13, 11})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

// In fp32 whatever autocast says: equal to the convolution without it, rounded.
TEST(Convolution, DepthwiseOfLargeKernelsOrStridesIsComputedInFp32) {
  struct Case {
    std::int64_t kernel;
    std::int64_t stride;
  };
  for (const Case& c : {Case{5, 1}, Case{7, 1}, Case{3, 2}, Case{5, 2}}) {
    Conv2d layer = depthwise(c.kernel, c.stride);
    const ConvolutionResult exact =
        forward_backward(layer, numbers_exact_in_bf16());
    const InBf16 autocast;
    const ConvolutionResult given =
        forward_backward(layer, numbers_exact_in_bf16());
    EXPECT_EQ(given.outputs.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(
        at::equal(given.outputs, exact.outputs.to(at::kBFloat16)) &&
        at::equal(given.weight_gradient, exact.weight_gradient) &&
        at::equal(given.input_gradient, exact.input_gradient))
        << c.kernel << "x" << c.kernel << " stride " << c.stride;
  }
}

TEST(Convolution, OtherwiseAutocastDecides) {
  Conv2d layer = depthwise(3, 1);
  const ConvolutionResult exact =
      forward_backward(layer, numbers_exact_in_bf16());
  const InBf16 autocast;
  const ConvolutionResult given =
      forward_backward(layer, numbers_exact_in_bf16());
  EXPECT_EQ(given.outputs.scalar_type(), at::kBFloat16);
  EXPECT_FALSE(at::equal(given.outputs, exact.outputs.to(at::kBFloat16)));
  // bf16 has 8 bits: a sum of 9 products of numbers up to 1.
  EXPECT_LE(
      (given.outputs.to(at::kFloat) - exact.outputs).abs().max().item<float>(),
      0.02F);
}

// Memory is filled with large numbers when it is allocated.
TEST(Convolution, GradientsHaveNoMemoryThatNobodyWrote) {
  constexpr int kFill = 128;
  ::mallopt(M_PERTURB, kFill);
  for (const std::int64_t stride : {2, 4}) {
    for (std::int64_t side = 1; side <= stride; ++side) {
      at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
      const Conv2d::Shape shape{
          .in = 64, .out = 128, .kernel = 3, .stride = stride, .padding = 1};
      Conv2d layer(shape, generator);
      const at::Tensor images =
          at::randn({16, 64, side, side}, generator, at::kFloat);
      const ConvolutionResult exact = forward_backward(layer, images);
      const InBf16 scope;
      const ConvolutionResult rounded = forward_backward(layer, images);
      const double largest = exact.weight_gradient.abs().max().item<double>();
      const double error = (rounded.weight_gradient - exact.weight_gradient)
                               .abs()
                               .max()
                               .item<double>();
      // Sums of 16 images and places, each rounded to 8 bits.
      EXPECT_LT(error, 0.02 * largest) << stride << " over " << side;
      EXPECT_EQ(rounded.outputs.sizes(), exact.outputs.sizes());
    }
  }
  ::mallopt(M_PERTURB, 0);
}

} // namespace
} // namespace vitrain::networks

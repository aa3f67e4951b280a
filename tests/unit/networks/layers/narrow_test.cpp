#include "networks/layers/narrow.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "networks/layers/batch_count.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "optim/flat_state.h"

namespace vitrain::networks {
namespace {

at::Generator seeded(std::uint64_t seed) {
  return at::detail::createCPUGenerator(seed);
}

at::Tensor noise(at::IntArrayRef shape, std::uint64_t seed) {
  return at::empty(shape).normal_(0.0, 1.0, seeded(seed));
}

at::Tensor in_bf16(const at::Tensor& x) {
  return x.detach().to(at::kBFloat16);
}

double distance(const at::Tensor& value, const at::Tensor& expected) {
  const at::Tensor exact = expected.to(at::kDouble);
  return ((value.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

// A module whose parameters have copies in bf16, made when it is constructed.
template <typename Layer>
struct Copied {
  explicit Copied(Layer& layer) : state(layer, 0.0, {}) {
    for (const optim::FlatGroup& group : state.groups()) {
      copies.push_back({group.parameters, in_bf16(group.parameters)});
    }
  }
  optim::FlatState state;
  std::vector<NarrowCopy> copies;
};

// Returns run() under autocast to bf16, with these copies unless null.
template <typename Run>
auto in_scope(const std::vector<NarrowCopy>* copies, Run&& run) {
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_cache_enabled(false);
  const NarrowScope scope(copies);
  auto y = run();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  return y;
}

TEST(Narrow, SumsTheGradientOfALinearLayerInFp32) {
  Linear layer(24, 40, seeded(1));
  Copied copied(layer);
  const at::Tensor x = noise({3, 7, 24}, 2).requires_grad_();
  const at::Tensor dy = in_bf16(noise({3, 7, 40}, 3));
  const at::Tensor expected =
      in_scope(nullptr, [&] { return layer(x.detach()); });
  layer.weight.mutable_grad().fill_(0.5); // of an earlier micro-batch
  const at::Tensor y = in_scope(&copied.copies, [&] { return layer(x); });
  EXPECT_TRUE(at::equal(y, expected));
  y.backward(dy);

  const at::Tensor dy2 = dy.to(at::kDouble).flatten(0, 1);
  const at::Tensor x2 = in_bf16(x).to(at::kDouble).flatten(0, 1);
  // Sums of 21 products in fp32.
  EXPECT_LT(distance(layer.weight.grad(), 0.5 + dy2.t().mm(x2)), 1e-6);
  // Rounded to bf16: 2^-9 each.
  EXPECT_LT(distance(layer.bias.grad(), dy2.sum(0)), 3e-3);
  EXPECT_LT(
      distance(
          x.grad().flatten(0, 1),
          dy2.mm(in_bf16(layer.weight).to(at::kDouble))),
      3e-3);
  EXPECT_EQ(
      layer.weight.grad().data_ptr(),
      copied.state.groups()[0]
          .segments[1]
          .in(copied.state.groups()[0].gradients)
          .data_ptr());
}

TEST(Narrow, GivesAConvolutionTheBitsOfAutocast) {
  Conv2d layer({.in = 16, .out = 24, .kernel = 3, .bias = true}, seeded(1));
  layer.use_channels_last();
  Copied copied(layer);
  const at::Tensor images = noise({2, 16, 9, 9}, 2);
  const auto gradients_of = [&](const std::vector<NarrowCopy>* copies) {
    copied.state.zero_gradients();
    in_scope(copies, [&] {
      return layer(images);
    }).backward(in_bf16(noise({2, 24, 7, 7}, 3)));
    return copied.state.groups()[0].gradients.clone();
  };
  const at::Tensor expected = gradients_of(nullptr);
  EXPECT_GT(expected.abs().max().item<double>(), 0.1);
  EXPECT_TRUE(at::equal(gradients_of(&copied.copies), expected));
}

// The copy that backward reads is the one of the forward pass.
TEST(Narrow, ReadsTheCopyAndNotTheParameter) {
  Linear layer(8, 8, seeded(1));
  Copied copied(layer);
  const at::Tensor x = noise({4, 8}, 2).requires_grad_();
  const at::Tensor expected = in_scope(nullptr, [&] { return layer(x); });
  {
    const at::NoGradGuard no_grad;
    layer.weight.zero_();
  }
  const at::Tensor y = in_scope(&copied.copies, [&] { return layer(x); });
  EXPECT_TRUE(at::equal(y, expected));
  y.sum().backward();
  EXPECT_GT(x.grad().abs().max().item<double>(), 0.0);
  // Without autocast there are no copies.
  const NarrowScope scope(&copied.copies);
  EXPECT_EQ(layer(x).scalar_type(), at::kFloat);
}

TEST(Narrow, ReturnsTheGradientsOfWeightsThatHaveNone) {
  Linear layer(8, 8, seeded(1));
  Copied copied(layer);
  layer.weight.mutable_grad() = at::Tensor();
  layer.bias.mutable_grad() = at::Tensor();
  in_scope(
      &copied.copies,
      [&] {
        return layer(noise({4, 8}, 2));
      })
      .sum()
      .backward();
  ASSERT_TRUE(layer.weight.grad().defined() && layer.bias.grad().defined());
  EXPECT_EQ(layer.weight.grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(layer.bias.grad(), at::full({8}, 4.0)));
}

TEST(Narrow, ABlockThatIsComputedAgainHasTheSameGradients) {
  Linear layer(16, 16, seeded(1));
  Copied copied(layer);
  const at::Tensor x = noise({5, 16}, 2).requires_grad_();
  const auto gradients_of = [&](std::int64_t every) {
    copied.state.zero_gradients();
    const RecomputeScope recompute(every);
    in_scope(
        &copied.copies,
        [&] {
          return run_block(x, {}, [&](const at::Tensor& in) {
            return layer(at::gelu(layer(in)));
          });
        })
        .sum()
        .backward();
    return copied.state.groups()[0].gradients.clone();
  };
  EXPECT_TRUE(at::equal(gradients_of(0), gradients_of(1)));
}

TEST(Narrow, ProductsAndTheirGradientsAreExactToOneRounding) {
  const at::Tensor a = in_bf16(noise({6, 1, 24}, 1)).requires_grad_();
  const at::Tensor b =
      in_bf16(noise({6, 33, 24}, 2)).transpose(1, 2).requires_grad_();
  const at::Tensor dy = noise({6, 1, 33}, 3);
  const at::Tensor y = wide_products(a, b);
  y.backward(dy);
  const at::Tensor exact_a = a.detach().to(at::kDouble);
  const at::Tensor exact_b = b.detach().to(at::kDouble);
  EXPECT_EQ(y.scalar_type(), at::kFloat);
  EXPECT_LT(distance(y, exact_a.bmm(exact_b)), 1e-6);
  const at::Tensor exact = dy.to(at::kDouble);
  // dy and the result are rounded to bf16.
  EXPECT_LT(distance(a.grad(), exact.bmm(exact_b.transpose(1, 2))), 5e-3);
  EXPECT_LT(distance(b.grad(), exact_a.transpose(1, 2).bmm(exact)), 5e-3);
}

TEST(BatchCount, CountsEachPassOnceForAllLayers) {
  BatchNorm2d one(4);
  BatchNorm2d twice(4);
  BatchNorm2d frozen(4);
  frozen.freeze();
  const auto counted = [](const BatchNorm2d& norm) {
    return norm.num_batches_tracked.item<std::int64_t>();
  };
  const at::Tensor x = noise({2, 4, 3, 3}, 1);
  {
    BatchCountScope scope;
    one(x);
    twice(x);
    twice(x);
    frozen(x);
    EXPECT_EQ(counted(one), 0);
    scope.count();
    EXPECT_EQ(counted(one), 1);
    EXPECT_EQ(counted(twice), 2);
    scope.count();
    EXPECT_EQ(counted(one), 1);
  }
  one(x);
  EXPECT_EQ(counted(one), 2);
  EXPECT_EQ(counted(frozen), 0);
}

} // namespace
} // namespace vitrain::networks

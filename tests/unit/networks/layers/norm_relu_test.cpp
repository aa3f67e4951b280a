#include "networks/layers/norm_relu.h"

#include <optional>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace vitrain::networks {
namespace {

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

struct ReluCase {
  std::vector<std::int64_t> shape;
  bool residual = false;
  Nonlinearity after = Nonlinearity::kRelu;
  bool training = true;
  bool both = false; // both ways of the fork have gradients
};

// Channels that fill no vector, or pieces that are not full; one pixel, one
// image; a width over which a piece has its least number of rows.
std::vector<ReluCase> cases() {
  std::vector<ReluCase> all;
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{2, 3, 5, 7},
        {4, 17, 1, 1},
        {1, 33, 3, 3},
        {3, 64, 8, 8},
        {16, 40, 37, 5},
        {7, 2050, 3, 1},
        {5, 1, 4, 4}}) {
    all.push_back({.shape = shape});
    for (const Nonlinearity after :
         {Nonlinearity::kNone,
          Nonlinearity::kRelu6,
          Nonlinearity::kSilu,
          Nonlinearity::kHardSwish}) {
      all.push_back({.shape = shape, .after = after});
      all.push_back({.shape = shape, .after = after, .both = true});
      all.push_back({.shape = shape, .after = after, .training = false});
    }
    all.push_back(
        {.shape = shape, .residual = true, .after = Nonlinearity::kNone});
    all.push_back(
        {.shape = shape,
         .residual = true,
         .after = Nonlinearity::kNone,
         .both = true});
    all.push_back({.shape = shape, .residual = true});
    all.push_back({.shape = shape, .residual = true, .both = true});
    all.push_back({.shape = shape, .both = true});
    all.push_back({.shape = shape, .training = false});
    all.push_back({.shape = shape, .residual = true, .training = false});
  }
  return all;
}

std::string text(const ReluCase& c) {
  std::string line;
  for (const std::int64_t size : c.shape) {
    line += std::to_string(size) + ' ';
  }
  return line + (c.residual ? "+residual " : "") + "nonlinearity " +
      std::to_string(static_cast<int>(c.after)) + ' ' +
      (c.training ? "training " : "") + (c.both ? "both ways" : "");
}

class Random {
 public:
  at::Tensor normal(at::IntArrayRef shape, double mean = 0.0) {
    return at::randn(shape, generator_, at::TensorOptions(at::kDouble)) + mean;
  }

 private:
  at::Generator generator_ = at::detail::createCPUGenerator(11);
};

struct Inputs {
  at::Tensor x, residual, weight, bias, running_mean, running_var, dy, dy2;
};

// In fp64, of values that `type` has.
Inputs inputs_of(const ReluCase& c, at::ScalarType type) {
  Random random;
  const auto rounded = [&](const at::Tensor& values) {
    return values.to(type).to(at::kDouble);
  };
  const std::int64_t channels = c.shape[1];
  const auto fp32 = [](const at::Tensor& values) {
    return values.to(at::kFloat).to(at::kDouble);
  };
  Inputs inputs;
  inputs.x = rounded(random.normal(c.shape, 0.7) * 1.3);
  inputs.residual = rounded(random.normal(c.shape));
  inputs.weight = fp32(random.normal({channels}, 1.0) * 0.5);
  inputs.bias = fp32(random.normal({channels}) * 0.3);
  inputs.running_mean = fp32(random.normal({channels}));
  inputs.running_var = fp32(random.normal({channels}).square() + 0.3);
  inputs.dy = rounded(random.normal(c.shape));
  inputs.dy2 = rounded(random.normal(c.shape));
  return inputs;
}

struct Outputs {
  at::Tensor y, dx, dresidual, dweight, dbias, running_mean, running_var;
};

// torch's own operators in fp64.
Outputs expected(const ReluCase& c, const Inputs& inputs) {
  const at::Tensor x = inputs.x.clone().requires_grad_();
  const at::Tensor residual = inputs.residual.clone().requires_grad_();
  const at::Tensor weight = inputs.weight.clone().requires_grad_();
  const at::Tensor bias = inputs.bias.clone().requires_grad_();
  Outputs out{
      .running_mean = inputs.running_mean.clone(),
      .running_var = inputs.running_var.clone()};
  const bool one = x.numel() == x.size(1);
  at::Tensor y = at::batch_norm(
      x,
      weight,
      bias,
      one && c.training ? at::Tensor() : out.running_mean,
      one && c.training ? at::Tensor() : out.running_var,
      c.training,
      0.1,
      1e-5,
      false);
  y = c.residual ? y + residual : y;
  y = c.after == Nonlinearity::kRelu        ? y.relu()
      : c.after == Nonlinearity::kRelu6     ? at::hardtanh(y, 0.0, 6.0)
      : c.after == Nonlinearity::kSilu      ? at::silu(y)
      : c.after == Nonlinearity::kHardSwish ? at::hardswish(y)
                                            : y;
  y.backward(c.both ? inputs.dy + inputs.dy2 : inputs.dy);
  out.y = y.detach();
  out.dx = x.grad();
  out.dresidual = residual.grad();
  out.dweight = weight.grad();
  out.dbias = bias.grad();
  return out;
}

at::Tensor leaf(const at::Tensor& values, at::ScalarType type) {
  return values.to(type).contiguous(kChannelsLast).requires_grad_();
}

// `grads`: the memory order of the gradients that come in.
Outputs ours(
    const ReluCase& c,
    const Inputs& inputs,
    at::ScalarType type,
    at::MemoryFormat grads = kChannelsLast) {
  BatchNorm2d norm(c.shape[1]);
  {
    const at::NoGradGuard no_grad;
    norm.weight.copy_(inputs.weight);
    norm.bias.copy_(inputs.bias);
    norm.running_mean.copy_(inputs.running_mean);
    norm.running_var.copy_(inputs.running_var);
  }
  norm.train(c.training);
  const at::Tensor x = leaf(inputs.x, type);
  const at::Tensor residual =
      c.residual ? leaf(inputs.residual, type) : at::Tensor();
  const Fork y = norm_act(norm, x, c.after, residual);
  EXPECT_TRUE(y.trunk.is_contiguous(kChannelsLast));
  at::Tensor loss = (y.trunk * inputs.dy.to(type).contiguous(grads)).sum();
  if (c.both) {
    EXPECT_EQ(y.trunk.data_ptr(), y.branch.data_ptr());
    loss = loss + (y.branch * inputs.dy2.to(type).contiguous(grads)).sum();
  }
  loss.backward();
  EXPECT_EQ(norm.num_batches_tracked.item<std::int64_t>(), c.training ? 1 : 0);
  return {
      .y = y.trunk.detach(),
      .dx = x.grad(),
      .dresidual = residual.defined() ? residual.grad() : at::Tensor(),
      .dweight = norm.weight.grad(),
      .dbias = norm.bias.grad(),
      .running_mean = norm.running_mean,
      .running_var = norm.running_var};
}

// Differences are measured against the largest value.
void expect_close(
    const char* name,
    const at::Tensor& own,
    const at::Tensor& reference,
    double tolerance) {
  const double scale = std::max(1.0, reference.abs().max().item<double>());
  const double difference =
      (own.to(at::kDouble) - reference).abs().max().item<double>();
  EXPECT_LE(difference, tolerance * scale) << name;
}

void expect_close(
    const Outputs& own,
    const Outputs& reference,
    double rounding) {
  // Sums of fp32 numbers in fp32 pieces, whatever is rounded at the end.
  constexpr double kSums = 2e-6;
  expect_close("y", own.y, reference.y, rounding);
  expect_close("dx", own.dx, reference.dx, rounding);
  if (own.dresidual.defined()) {
    expect_close("dresidual", own.dresidual, reference.dresidual, rounding);
  }
  expect_close("dweight", own.dweight, reference.dweight, kSums);
  expect_close("dbias", own.dbias, reference.dbias, kSums);
  expect_close("mean", own.running_mean, reference.running_mean, 1e-6);
  expect_close("var", own.running_var, reference.running_var, 1e-6);
}

TEST(NormRelu, IsTorchsOperatorsInSinglePrecision) {
  for (const ReluCase& c : cases()) {
    SCOPED_TRACE(text(c));
    const Inputs inputs = inputs_of(c, at::kFloat);
    // A few roundings of 6e-8, in scale, shift and the sum of two of them.
    expect_close(ours(c, inputs, at::kFloat), expected(c, inputs), 1e-6);
  }
}

TEST(NormRelu, IsTorchsOperatorsInBf16) {
  for (const ReluCase& c : cases()) {
    SCOPED_TRACE(text(c));
    const Inputs inputs = inputs_of(c, at::kBFloat16);
    // One rounding to 8 bits; in dx, one of g and one of dx.
    expect_close(
        ours(c, inputs, at::kBFloat16),
        expected(c, inputs),
        c.both || c.residual ? 1.0 / 128 : 1.0 / 256);
  }
}

// torch's eval() of a layer, while its network trains: by this file's own
// passes, by torch's operator, and where training mode has another form.
TEST(NormRelu, FrozenNormalisesByRunningStatisticsThatStay) {
  const Inputs inputs = inputs_of({.shape = {3, 64, 8, 8}}, at::kFloat);
  for (const auto order : {kChannelsLast, at::MemoryFormat::Contiguous}) {
    for (const bool form : {false, true}) {
      BatchNorm2d norm(64);
      {
        const at::NoGradGuard no_grad;
        norm.weight.copy_(inputs.weight);
        norm.bias.copy_(inputs.bias);
      }
      norm.running_mean.copy_(inputs.running_mean);
      norm.running_var.copy_(inputs.running_var);
      norm.freeze();
      norm.train();
      EXPECT_FALSE(norm.is_training());
      if (form) {
        norm.set_training_form([](BatchNorm2d&, const at::Tensor& x) {
          ADD_FAILURE() << "a frozen layer was in training mode";
          return x;
        });
      }
      const at::Tensor x =
          inputs.x.to(at::kFloat).contiguous(order).requires_grad_();
      const at::Tensor y = norm_relu(norm, x).trunk;
      y.backward(inputs.dy.to(at::kFloat).contiguous(order));
      const at::Tensor same = inputs.x.clone().requires_grad_();
      const at::Tensor expected = at::relu(at::batch_norm(
          same,
          inputs.weight,
          inputs.bias,
          inputs.running_mean.clone(),
          inputs.running_var.clone(),
          /*training=*/false,
          /*momentum=*/0.1,
          BatchNorm2d::kEps,
          /*cudnn_enabled=*/false));
      expected.backward(inputs.dy);
      // Some fp32 roundings of numbers of the order of 10.
      EXPECT_TRUE(at::allclose(y.to(at::kDouble), expected, 1e-5, 1e-5));
      EXPECT_TRUE(
          at::allclose(x.grad().to(at::kDouble), same.grad(), 1e-5, 1e-5));
      EXPECT_TRUE(
          at::equal(norm.running_mean.to(at::kDouble), inputs.running_mean));
      EXPECT_TRUE(
          at::equal(norm.running_var.to(at::kDouble), inputs.running_var));
      EXPECT_EQ(norm.num_batches_tracked.item<std::int64_t>(), 0);
    }
  }
}

TEST(NormRelu, TakesGradientsInAnyMemoryOrder) {
  const ReluCase c{.shape = {3, 19, 6, 5}, .residual = true, .both = true};
  const Inputs inputs = inputs_of(c, at::kFloat);
  const Outputs last = ours(c, inputs, at::kFloat);
  const Outputs first =
      ours(c, inputs, at::kFloat, at::MemoryFormat::Contiguous);
  EXPECT_TRUE(at::equal(first.dx, last.dx));
  EXPECT_TRUE(at::equal(first.dresidual, last.dresidual));
  EXPECT_TRUE(at::equal(first.dweight, last.dweight));
}

TEST(NormRelu, DoesNotDependOnTheNumberOfThreads) {
  const ReluCase c{.shape = {16, 40, 37, 5}, .residual = true, .both = true};
  const Inputs inputs = inputs_of(c, at::kFloat);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Outputs one = ours(c, inputs, at::kFloat);
  at::set_num_threads(3);
  const Outputs three = ours(c, inputs, at::kFloat);
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(one.y, three.y));
  EXPECT_TRUE(at::equal(one.dx, three.dx));
  EXPECT_TRUE(at::equal(one.dweight, three.dweight));
  EXPECT_TRUE(at::equal(one.dbias, three.dbias));
  EXPECT_TRUE(at::equal(one.running_var, three.running_var));
}

TEST(NormRelu, KeepsItsStatisticsWhereThereIsOneValue) {
  const at::NoGradGuard no_grad;
  BatchNorm2d norm(5);
  const at::Tensor y = norm_relu(norm, at::full({1, 5, 1, 1}, 3.0F)).trunk;
  // The scale is 1 / sqrt(eps) = 316, and so are roundings of 3.
  EXPECT_LE(y.abs().max().item<double>(), 316 * 3 * 1.2e-7);
  EXPECT_TRUE(at::equal(norm.running_mean, at::zeros({5})));
  EXPECT_TRUE(at::equal(norm.running_var, at::ones({5})));
}

TEST(NormRelu, KeepsAccuracyFarFromZero) {
  // Deviations of 1 around 1000: sums of squares would lose all of them.
  Random random;
  const at::Tensor x = random.normal({8, 6, 20, 20}, 1000.0).to(at::kFloat);
  BatchNorm2d norm(6);
  norm_relu(norm, x.contiguous(kChannelsLast));
  const at::Tensor variance = x.to(at::kDouble).var({0, 2, 3});
  // The inputs themselves are rounded to 6e-5; their variance to 1e-5.
  EXPECT_TRUE(at::allclose(
      (norm.running_var.to(at::kDouble) - 0.9) / 0.1, variance, 1e-5, 1e-5));
}

TEST(NormRelu, LetsNanThrough) {
  const at::NoGradGuard no_grad;
  BatchNorm2d norm(2);
  norm.eval();
  at::Tensor x = at::zeros({1, 2, 3, 3}).contiguous(kChannelsLast);
  x[0][1][2][2] = std::numeric_limits<float>::quiet_NaN();
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const at::Tensor y = norm_relu(norm, x.to(type)).trunk;
    EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 1);
    EXPECT_TRUE(y[0][1][2][2].isnan().item<bool>());
  }
}

TEST(NormRelu, LeavesOtherFormsToTorch) {
  const ReluCase c{.shape = {2, 6, 4, 4}, .residual = true};
  const Inputs inputs = inputs_of(c, at::kFloat);
  BatchNorm2d norm(6);
  int calls = 0;
  norm.set_training_form([&](BatchNorm2d&, const at::Tensor& x) {
    ++calls;
    return x * 2.0;
  });
  const at::Tensor x = leaf(inputs.x, at::kFloat);
  const at::Tensor residual = leaf(inputs.residual, at::kFloat);
  const at::Tensor y = norm_relu(norm, x, residual).trunk;
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(at::equal(y, (x * 2.0 + residual).relu()));
}

} // namespace
} // namespace vitrain::networks

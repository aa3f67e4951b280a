#include "networks/layers/norm_relu.h"

#include <cmath>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "networks/layers/batch_count.h"
#include "networks/layers/norm_passes.h"

namespace vitrain::networks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Computes the statistics of x and updates the running ones.
Statistics batch_statistics(BatchNorm2d& norm, const at::Tensor& x) {
  const Moments moments = moments_of(x);
  const auto options = norm.weight.options().requires_grad(false);
  const Statistics statistics{
      at::empty({x.size(1)}, options), at::empty({x.size(1)}, options)};
  auto* means = statistics.mean.data_ptr<float>();
  auto* inverses = statistics.inverse.data_ptr<float>();
  auto* running_mean = norm.running_mean.data_ptr<float>();
  auto* running_var = norm.running_var.data_ptr<float>();
  const auto count = static_cast<double>(moments.count);
  const double rate = norm.momentum();
  for (std::size_t c = 0; c < moments.mean.size(); ++c) {
    const double mean = moments.mean[c];
    const double variance = moments.variance[c];
    means[c] = static_cast<float>(mean);
    inverses[c] = static_cast<float>(1.0 / std::sqrt(variance + norm.eps()));
    // The variance of a single value is NaN and would spoil the running
    // statistics permanently.
    if (moments.count > 1) {
      const double unbiased = variance * (count / (count - 1.0));
      running_mean[c] =
          static_cast<float>(rate * mean + (1.0 - rate) * running_mean[c]);
      running_var[c] =
          static_cast<float>(rate * unbiased + (1.0 - rate) * running_var[c]);
    }
  }
  return statistics;
}

Statistics running_statistics(const BatchNorm2d& norm) {
  return {
      norm.running_mean,
      at::rsqrt(norm.running_var.to(at::kDouble) + norm.eps()).to(at::kFloat)};
}

at::Tensor as_tensor(const WideTable& values) {
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  auto* out = tensor.data_ptr<float>();
  for (std::size_t c = 0; c < values.size(); ++c) {
    out[c] = static_cast<float>(values[c]);
  }
  return tensor;
}

class NormAct final : public torch::autograd::Function<NormAct> {
 public:
  static variable_list forward(
      AutogradContext* context,
      const Variable& x,
      const Variable& weight,
      const Variable& bias,
      const std::optional<Variable>& given,
      BatchNorm2d* norm,
      Nonlinearity nonlinearity) {
    const at::Tensor residual = given.value_or(at::Tensor());
    const bool training = norm->is_training();
    const Statistics statistics =
        training ? batch_statistics(*norm, x) : running_statistics(*norm);
    const at::Tensor y =
        apply_line(Line(statistics, weight, bias), x, residual, nonlinearity);
    // With a residual, the sign of the sum cannot be computed from x.
    context->save_for_backward(
        {x,
         weight,
         bias,
         training ? statistics.mean : statistics.mean.clone(),
         statistics.inverse,
         nonlinearity == Nonlinearity::kRelu && residual.defined()
             ? y
             : at::Tensor()});
    context->saved_data["training"] = training;
    context->saved_data["nonlinearity"] =
        static_cast<std::int64_t>(nonlinearity);
    context->saved_data["residual"] = residual.defined();
    context->set_materialize_grads(false);
    return {y, y.variable_data()};
  }

  static variable_list backward(
      AutogradContext* context,
      const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const Statistics statistics{saved[3], saved[4]};
    const bool residual = context->saved_data["residual"].toBool();
    const bool training = context->saved_data["training"].toBool();
    BackwardPass pass{
        .dy = outputs[0].defined() ? outputs[0] : outputs[1],
        .dy2 = outputs[0].defined() ? outputs[1] : at::Tensor(),
        .x = saved[0],
        .y = saved[5],
        .g = {},
        .statistics = statistics,
        .line = Line(statistics, saved[1], saved[2]),
        .nonlinearity = static_cast<Nonlinearity>(
            context->saved_data["nonlinearity"].toInt())};
    if (!pass.dy.defined()) {
      return {{}, {}, {}, {}, {}, {}};
    }
    pass.dy = pass.dy.contiguous(kChannelsLast);
    if (pass.dy2.defined()) {
      pass.dy2 = pass.dy2.contiguous(kChannelsLast);
    }
    if (pass.dy2.defined() || pass.y.defined()) {
      pass.g = at::empty_like(pass.x, kChannelsLast);
    }
    const Sums sums = take_sums(pass);
    const at::Tensor dx = input_gradient(pass, sums, training);
    const at::Tensor dweight = as_tensor(sums.dot).mul_(statistics.inverse);
    const at::Tensor dresidual = !residual ? at::Tensor()
        : pass.g.defined()                 ? pass.g
                                           : pass.dy;
    return {dx, dweight, as_tensor(sums.sum), dresidual, {}, {}};
  }
};

// True if the fused kernels can be used. Recordings for exports (lib/exports)
// must contain torch's own operators.
bool is_fused(
    const BatchNorm2d& norm,
    const at::Tensor& x,
    Nonlinearity nonlinearity,
    bool residual) {
  return !at::tracer::impl::is_dispatch_enabled() && x.is_cpu() &&
      x.dim() == 4 && x.numel() > 0 &&
      (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
      norm.weight.scalar_type() == at::kFloat &&
      x.is_contiguous(kChannelsLast) &&
      !(norm.is_training() && norm.has_training_form()) &&
      nonlinearity != Nonlinearity::kGelu &&
      // With a residual, backward only knows where the output was positive.
      (!residual || nonlinearity == Nonlinearity::kNone ||
       nonlinearity == Nonlinearity::kRelu);
}

Fork fused(
    BatchNorm2d& norm,
    const at::Tensor& x,
    const at::Tensor& residual,
    Nonlinearity nonlinearity) {
  if (norm.is_training()) {
    count_batch(norm.num_batches_tracked);
  }
  const std::optional<at::Tensor> given = residual.defined()
      ? std::optional(residual.to(x.scalar_type()).contiguous(kChannelsLast))
      : std::nullopt;
  const variable_list y =
      NormAct::apply(x, norm.weight, norm.bias, given, &norm, nonlinearity);
  return {y[0], y[1]};
}

} // namespace

at::Tensor apply_in_place(at::Tensor y, Nonlinearity nonlinearity) {
  switch (nonlinearity) {
    case Nonlinearity::kNone:
      return y;
    case Nonlinearity::kRelu:
      return y.relu_();
    case Nonlinearity::kRelu6:
      return at::hardtanh_(y, 0.0, 6.0);
    case Nonlinearity::kSilu:
      return at::silu_(y);
    case Nonlinearity::kHardSwish: // no meta kernel
      return y.is_meta() ? y : at::hardswish_(y);
    case Nonlinearity::kGelu:
      return at::gelu_(y);
  }
  return y;
}

Fork norm_act(
    BatchNorm2d& norm,
    const at::Tensor& x,
    Nonlinearity nonlinearity,
    const at::Tensor& residual) {
  if (is_fused(norm, x, nonlinearity, residual.defined())) {
    return fused(norm, x, residual, nonlinearity);
  }
  at::Tensor y = norm(x);
  if (residual.defined()) {
    y = y.add_(residual);
  }
  y = apply_in_place(y, nonlinearity);
  return {y, y};
}

Fork norm_relu(
    BatchNorm2d& norm,
    const at::Tensor& x,
    const at::Tensor& residual) {
  return norm_act(norm, x, Nonlinearity::kRelu, residual);
}

at::Tensor norm_only(BatchNorm2d& norm, const at::Tensor& x) {
  return norm_act(norm, x, Nonlinearity::kNone).trunk;
}

} // namespace vitrain::networks

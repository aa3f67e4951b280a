#include "networks/layers/narrow.h"

#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace vitrain::networks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

thread_local const std::vector<NarrowCopy>* copies_now = nullptr;

// Returns the copy of `parameter`; undefined without one.
at::Tensor copy_of(const at::Tensor& parameter) {
  if (copies_now == nullptr || !parameter.defined() ||
      !at::autocast::is_autocast_enabled(parameter.device().type())) {
    return {};
  }
  const auto* start = static_cast<const char*>(parameter.const_data_ptr());
  for (const NarrowCopy& copy : *copies_now) {
    const auto* begin = static_cast<const char*>(copy.wide.const_data_ptr());
    if (start >= begin && start < begin + copy.wide.nbytes()) {
      // variable_data(): later changes of the copy do not count as changes of
      // the returned tensor.
      return copy.narrow
          .as_strided(
              parameter.sizes(),
              parameter.strides(),
              copy.narrow.storage_offset() +
                  (start - begin) / copy.wide.element_size())
          .variable_data();
    }
  }
  return {};
}

// True if backward may add to the gradient of `parameter` by itself. Hooks of
// the parameter's accumulator run afterwards, when all gradients are complete.
bool has_gradient(const at::Tensor& parameter) {
  return parameter.is_leaf() && parameter.grad().defined();
}

class Narrow final : public torch::autograd::Function<Narrow> {
 public:
  static at::Tensor forward(
      AutogradContext* context,
      const Variable& parameter,
      const Variable& copy) {
    context->saved_data["parameter"] = parameter;
    return copy;
  }

  static variable_list backward(
      AutogradContext* context,
      const variable_list& outputs) {
    const at::Tensor parameter = context->saved_data["parameter"].toTensor();
    if (!has_gradient(parameter)) {
      return {outputs[0], {}};
    }
    parameter.mutable_grad().add_(outputs[0]);
    return {{}, {}};
  }
};

class WideProducts final : public torch::autograd::Function<WideProducts> {
 public:
  static at::Tensor
  forward(AutogradContext* context, const Variable& a, const Variable& b) {
    context->save_for_backward({a, b});
    return a.is_cuda() ? at::bmm(a, b, at::kFloat)
                       : at::bmm(a.to(at::kFloat), b.to(at::kFloat));
  }

  static variable_list backward(
      AutogradContext* context,
      const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = outputs[0].to(saved[0].scalar_type());
    return {
        at::bmm(dy, saved[1].transpose(1, 2)),
        at::bmm(saved[0].transpose(1, 2), dy)};
  }
};

// Adds a b to `sum`, in fp32.
void add_product(at::Tensor sum, const at::Tensor& a, const at::Tensor& b) {
  if (sum.is_cuda()) {
    at::addmm_out(sum, sum, a, b, at::kFloat);
  } else {
    sum.addmm_(a.to(at::kFloat), b.to(at::kFloat));
  }
}

class NarrowLinear final : public torch::autograd::Function<NarrowLinear> {
 public:
  static at::Tensor forward(
      AutogradContext* context,
      const Variable& x,
      const Variable& weight,
      const Variable& copy,
      const std::optional<Variable>& bias) {
    context->saved_data["weight"] = weight;
    context->saved_data["bias"] = bias.has_value();
    context->save_for_backward({x, copy});
    // variable_data(): callers may change y in place, but not a view of it.
    return at::linear(x, copy, bias).variable_data();
  }

  static variable_list backward(
      AutogradContext* context,
      const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& copy = saved[1];
    const at::Tensor weight = context->saved_data["weight"].toTensor();
    const at::Tensor dy = outputs[0].reshape({-1, copy.size(0)});
    const at::Tensor x = saved[0].reshape({-1, copy.size(1)});
    at::Tensor dx;
    if (context->needs_input_grad(0)) {
      dx = at::mm(dy, copy).view(saved[0].sizes());
    }
    at::Tensor dweight;
    if (has_gradient(weight)) {
      add_product(weight.mutable_grad(), dy.t(), x);
    } else {
      dweight = at::mm(dy.t(), x);
    }
    const bool bias = context->saved_data["bias"].toBool();
    return {dx, dweight, {}, bias ? dy.sum(0) : at::Tensor()};
  }
};

} // namespace

NarrowScope::NarrowScope(const std::vector<NarrowCopy>* copies)
    : outer_(std::exchange(copies_now, copies)) {}

NarrowScope::~NarrowScope() {
  copies_now = outer_;
}

const std::vector<NarrowCopy>* narrow_copies() {
  return copies_now;
}

at::Tensor narrowed(const at::Tensor& parameter) {
  const at::Tensor copy = copy_of(parameter);
  return copy.defined() ? Narrow::apply(parameter, copy) : parameter;
}

at::Tensor apply_linear(
    const at::Tensor& x,
    const at::Tensor& weight,
    const at::Tensor& bias) {
  const at::Tensor copy = copy_of(weight);
  if (!copy.defined()) {
    return at::linear(x, weight, bias);
  }
  const std::optional<at::Tensor> by = bias.defined()
      ? std::optional(narrowed(bias).to(copy.scalar_type()))
      : std::nullopt;
  return NarrowLinear::apply(x.to(copy.scalar_type()), weight, copy, by);
}

at::Tensor wide_products(const at::Tensor& a, const at::Tensor& b) {
  return WideProducts::apply(a, b);
}

} // namespace vitrain::networks

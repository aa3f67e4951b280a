#pragma once

#include <array>
#include <vector>

#include <ATen/ATen.h>

#include "config/sections/optim.h"
#include "optim/element_passes.h"
#include "optim/optimizer.h"

namespace vitrain::optim {

// Options of an elementwise rule for its group.
struct RuleOptions {
  config::OptimNumbers numbers;
  double weight_decay = 0.0;
  bool nesterov = false;
  bool decoupled = false;
  bool cautious = false;
};

inline RuleOptions rule_options(
    const config::OptimConfig& options,
    const FlatGroup& group) {
  return {
      .numbers = options.numbers(),
      .weight_decay = group.weight_decay,
      .nesterov = options.nesterov,
      .decoupled = options.decoupled,
      .cautious = options.cautious};
}

// Applies the steps of a rule to the weights or, if `elements.steps` is
// defined, stores them there.
template <typename Rule, std::size_t kStates>
void apply_rule(
    const Elements<kStates>& elements,
    const RuleOptions& options,
    const Rate& rate) {
  if (elements.weights.is_cpu()) {
    const auto kernel = Rule::template kernel<Lanes>(
        options, rate.lr, rate.count.item<double>());
    if (elements.steps.defined()) {
      detail::run_on_cpu</*kAppliesSteps=*/false>(elements, kernel);
    } else {
      detail::run_on_cpu</*kAppliesSteps=*/true>(elements, kernel);
    }
    return;
  }
  const auto kernel = Rule::template kernel<Value>(
      options, Value(rate.lr), Value(rate.count.to(at::kDouble)));
  detail::run_on_device(elements, kernel, rate.non_finite);
}

// Rescales cautious steps, which are 0 where they disagree with the gradient:
// each parameter's steps are multiplied by its size / its number of nonzero
// steps, by 1000 at most. `steps` begin at element `own_begin` of the group
// (Liang et al., "Cautious optimizers", 2024; as timm).
void scale_cautious_steps(
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin,
    const at::Tensor& steps);

// Base class of rules, with defaults.
struct ElementRule {
  // True if the steps are stored in a buffer for finish() instead of being
  // applied at once.
  static constexpr bool kKeepsSteps = false;

  // Returns the initial value of state buffer number `state`.
  static double fill(std::size_t /*state*/) { return 0.0; }
};

// An optimizer that treats each element alike. A Rule is an ElementRule and has
//   kStates: names of its buffers;
//   kernel<T>(RuleOptions, lr, count), which returns a Kernel: `step(w, g,
//   state)` returns the step to subtract and updates `state`; it may replace g
//   by the value whose sign a cautious step must agree with.
template <typename Rule>
class ElementOptimizer : public Optimizer {
 public:
  ElementOptimizer(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters), options_(options) {
    for (std::size_t k = 0; k < kStates; ++k) {
      buffers_[k] = &add_buffers(Rule::kStates[k], Rule::fill(k));
    }
    if (options.cautious || Rule::kKeepsSteps) {
      steps_buffer_ = zeros_of_largest(parameters);
    }
  }

 protected:
  static constexpr std::size_t kStates = Rule::kStates.size();

  Elements<kStates> elements_of(std::size_t index) const {
    const FlatGroup& group = parameters_.groups()[index];
    Elements<kStates> elements{
        .weights = own(group, group.parameters),
        .gradients = own(group, group.gradients),
        .state = {},
        .steps = steps_buffer_.defined()
            ? steps_buffer_.narrow(0, 0, group.own_size)
            : at::Tensor(),
        .cautious = options_.cautious};
    for (std::size_t k = 0; k < kStates; ++k) {
      elements.state[k] = own_state(group, (*buffers_[k])[index]);
    }
    return elements;
  }

  void update(std::size_t index, const Rate& rate) override {
    const FlatGroup& group = parameters_.groups()[index];
    const Elements<kStates> elements = elements_of(index);
    apply_rule<Rule>(elements, rule_options(options_, group), rate);
    if (options_.cautious) {
      scale_cautious_steps(
          own_segments(group), group.own_begin, elements.steps);
    }
    if (elements.steps.defined()) {
      finish(group, elements.weights, elements.steps, rate);
    }
  }

  // Applies the steps that were stored in the buffer.
  virtual void finish(
      const FlatGroup& /*group*/,
      const at::Tensor& weights,
      const at::Tensor& steps,
      const Rate& /*rate*/) {
    weights.sub_(steps);
  }

  config::OptimConfig options_;

 private:
  std::array<Buffers*, kStates> buffers_{};
  at::Tensor steps_buffer_;
};

} // namespace vitrain::optim

#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "config/sections/optim.h"
#include "optim/elements.h"
#include "optim/optimizer.h"

namespace vitrain::optim {

// What a rule for elements knows of its group.
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

// The buffers of a group, or of a part of it: [n], n a multiple of 16.
template <std::size_t kStates>
struct Elements {
  at::Tensor weights;
  at::Tensor gradients;
  std::array<at::Tensor, kStates> state;
  // Where steps go instead of being made, and whether a step counts only where
  // it agrees with the gradient (else it is 0); undefined: they are made.
  at::Tensor steps{};
  bool cautious = false;

  Elements part(std::int64_t begin, std::int64_t size) const {
    Elements result{
        .weights = weights.narrow(0, begin, size),
        .gradients = gradients.narrow(0, begin, size),
        .state = {},
        .steps = steps.defined() ? steps.narrow(0, begin, size) : steps,
        .cautious = cautious};
    for (std::size_t i = 0; i < kStates; ++i) {
      result.state[i] = state[i].narrow(0, begin, size);
    }
    return result;
  }
};

namespace detail {

inline Lanes::Native* lanes(const at::Tensor& tensor) {
  return tensor.defined()
      ? reinterpret_cast<Lanes::Native*>(tensor.data_ptr<float>())
      : nullptr;
}

// One pass, each thread over a part.
template <bool kMakesSteps, std::size_t kStates, typename Kernel>
void run_on_cpu(const Elements<kStates>& elements, const Kernel& kernel) {
  Lanes::Native* const weights = lanes(elements.weights);
  const Lanes::Native* const gradients = lanes(elements.gradients);
  Lanes::Native* const steps = lanes(elements.steps);
  Lanes::Native* states[kStates];
  for (std::size_t k = 0; k < kStates; ++k) {
    states[k] = lanes(elements.state[k]);
  }
  const bool cautious = elements.cautious;
  constexpr std::int64_t kGrain = 8192;
  at::parallel_for(
      0,
      elements.weights.numel() / Lanes::kCount,
      kGrain,
      [&, kernel](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const Lanes w = weights[i];
          Lanes g = gradients[i];
          std::array<Lanes, kStates> state;
          for (std::size_t k = 0; k < kStates; ++k) {
            state[k] = states[k][i];
          }
          Lanes step = kernel.step(w, g, state);
          for (std::size_t k = 0; k < kStates; ++k) {
            states[k][i] = state[k].v;
          }
          if constexpr (kMakesSteps) {
            weights[i] = (w * kernel.keep - step).v;
          } else {
            if (cautious) {
              step = step * positive(step * g);
            }
            weights[i] = (w * kernel.keep).v;
            steps[i] = step.v;
          }
        }
      });
}

// Block by block, so that what lies between two operators stays in the cache.
template <std::size_t kStates, typename Kernel>
void run_on_device(
    const Elements<kStates>& all,
    const Kernel& kernel,
    const at::Tensor& non_finite) {
  constexpr std::int64_t kBlock = 1 << 21;
  const at::Tensor skips = non_finite.gt(0);
  const auto assign = [&](const at::Tensor& target, const Value& value) {
    target.copy_(at::where(skips, target, value.t));
  };
  for (std::int64_t begin = 0; begin < all.weights.numel(); begin += kBlock) {
    const Elements<kStates> block =
        all.part(begin, std::min(kBlock, all.weights.numel() - begin));
    const Value w = block.weights;
    Value g = block.gradients;
    std::array<Value, kStates> state =
        [&]<std::size_t... k>(std::index_sequence<k...>) {
          return std::array<Value, kStates>{Value(block.state[k])...};
        }(std::make_index_sequence<kStates>());
    Value step = kernel.step(w, g, state);
    for (std::size_t k = 0; k < kStates; ++k) {
      assign(block.state[k], state[k]);
    }
    if (!block.steps.defined()) {
      assign(block.weights, w * kernel.keep - step);
      continue;
    }
    if (block.cautious) {
      step = step * positive(step * g);
    }
    assign(block.weights, w * kernel.keep);
    block.steps.copy_(at::where(skips, 0.0, step.t));
  }
}

} // namespace detail

// Makes the steps of a rule, or leaves them in `elements.steps`.
template <typename Rule, std::size_t kStates>
void apply_rule(
    const Elements<kStates>& elements,
    const RuleOptions& options,
    const Rate& rate) {
  if (elements.weights.is_cpu()) {
    const auto kernel = Rule::template kernel<Lanes>(
        options, rate.lr, rate.count.item<double>());
    if (elements.steps.defined()) {
      detail::run_on_cpu</*kMakesSteps=*/false>(elements, kernel);
    } else {
      detail::run_on_cpu</*kMakesSteps=*/true>(elements, kernel);
    }
    return;
  }
  const auto kernel = Rule::template kernel<Value>(
      options, Value(rate.lr), Value(rate.count.to(at::kDouble)));
  detail::run_on_device(elements, kernel, rate.non_finite);
}

// Of steps that are 0 where they do not agree with the gradient: those of each
// parameter are multiplied by its size over the number of the others, at most
// 1000 (Liang et al., "Cautious optimizers", 2024; timm's).
void scale_cautious_steps(
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin,
    const at::Tensor& steps);

// An optimizer that treats each element alike. A Rule has
//   kStates: names of its buffers, and kFill: what they hold at first;
//   kernel<T>(RuleOptions, lr, count), a Kernel: `step(w, g, state)` returns
//   what is to be subtracted and changes `state`; it may change g, to what a
//   cautious step has to agree with.
template <typename Rule>
class ElementOptimizer : public Optimizer {
 public:
  ElementOptimizer(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters), options_(options) {
    for (std::size_t k = 0; k < kStates; ++k) {
      buffers_[k] = &add_buffers(Rule::kStates[k], Rule::kFill[k]);
    }
    std::int64_t largest = 0;
    for (const FlatGroup& group : parameters.groups()) {
      largest = std::max(largest, group.own_size);
    }
    if (options.cautious || Rule::kKeepsSteps) {
      steps_buffer_ = at::zeros(
          {largest}, parameters.groups().front().parameters.options());
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

  // Makes the steps that were left in the buffer.
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

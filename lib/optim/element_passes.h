#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ATen/ATen.h>

#include "optim/elements.h"
#include "threads/parallel_for.h"

namespace vitrain::optim {

// Buffers of a group, or of a part of it: [n], n a multiple of 16.
template <std::size_t kStates>
struct Elements {
  at::Tensor weights;
  at::Tensor gradients;
  std::array<at::Tensor, kStates> state;
  // Buffer that receives the steps; undefined: the steps are applied to the
  // weights. `cautious`: stored steps that disagree with the gradient become 0.
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

// Runs the kernel in one pass over the buffers; each thread processes a range
// of elements. kAppliesSteps: the steps change the weights; otherwise they are
// stored in elements.steps, and only weight decay changes the weights.
template <bool kAppliesSteps, std::size_t kStates, typename Kernel>
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
  threads::parallel_for(
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
          if constexpr (kAppliesSteps) {
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

// Runs the kernel block by block, so that intermediate values stay in the
// cache. The steps change the weights unless elements.steps is defined. If
// `non_finite` is 1, weights and state stay and stored steps are 0.
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

} // namespace vitrain::optim

#include "optim/ema.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>
#include <torch/nn/module.h>

#include "core/check.h"

namespace vitrain::optim {

double ema_decay(const EmaOptions& options, std::int64_t n) {
  if (n == 0) {
    return 0.0;
  }
  if (options.equal) {
    return static_cast<double>(n) / static_cast<double>(n + 1);
  }
  if (!options.warm_up) {
    return options.decay;
  }
  const double share = 1.0 -
      std::pow(1.0 + static_cast<double>(n) / options.gamma, -options.power);
  return std::clamp(share, 0.0, options.decay);
}

std::int64_t averagings_until(const EmaOptions& options, std::int64_t step) {
  if (options.due) {
    std::int64_t count = 0;
    for (std::int64_t after = options.start + 1; after <= step; ++after) {
      count += options.due(after) ? 1 : 0;
    }
    return count;
  }
  const std::int64_t last = step / options.every;
  return std::max<std::int64_t>(0, last - options.start / options.every);
}

Ema::Ema(
    torch::nn::Module& module,
    const FlatState& parameters,
    const EmaOptions& options)
    : module_(module), state_(parameters), options_(options) {
  const at::NoGradGuard no_grad;
  for (const FlatGroup& group : parameters.groups()) {
    averages_.push_back(group.parameters.clone());
  }
  for (const auto& item : module.named_buffers()) {
    const at::Tensor& buffer = item.value();
    if (buffer.is_floating_point()) {
      buffers_.push_back(
          {.name = item.key(),
           .tensor = buffer,
           .own = buffer.detach(),
           .average = buffer.clone()});
    }
  }
}

void Ema::reset() {
  averagings_ = 0;
  copy();
}

void Ema::copy() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    averages_[i].copy_(state_.groups()[i].parameters);
  }
  for (Buffer& buffer : buffers_) {
    buffer.average.copy_(buffer.own);
  }
}

void Ema::update(std::int64_t step) {
  if (!(options_.due ? options_.due(step) : step % options_.every == 0)) {
    return;
  }
  const double decay =
      step > options_.start ? ema_decay(options_, averagings_++) : 0.0;
  if (decay == 0.0) {
    copy();
    return;
  }
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> averages = averages_;
  std::vector<at::Tensor> now;
  for (const FlatGroup& group : state_.groups()) {
    now.push_back(group.parameters);
  }
  for (Buffer& buffer : buffers_) {
    if (options_.average_buffers) {
      averages.push_back(buffer.average);
      now.push_back(buffer.own);
    } else {
      buffer.average.copy_(buffer.own);
    }
  }
  at::_foreach_lerp_(averages, now, 1.0 - decay);
}

std::map<std::string, at::Tensor> Ema::buffers() const {
  std::map<std::string, at::Tensor> named;
  for (const Buffer& buffer : buffers_) {
    named[buffer.name] = buffer.average;
  }
  return named;
}

std::map<std::string, at::Tensor> Ema::state() const {
  std::map<std::string, at::Tensor> state = buffers();
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    for (const Segment& segment : state_.groups()[i].segments) {
      state[segment.name] = segment.in(averages_[i]);
    }
  }
  for (const auto& item : module_.named_parameters()) {
    state.try_emplace(item.key(), item.value().detach()); // not trained
  }
  for (const auto& item : module_.named_buffers()) {
    state.try_emplace(item.key(), item.value()); // integer buffers
  }
  return state;
}

void Ema::load_state(
    const std::map<std::string, at::Tensor>& state,
    std::int64_t averagings) {
  const at::NoGradGuard no_grad;
  const auto own = this->state();
  for (const auto& [name, tensor] : own) {
    const auto found = state.find(name);
    VITRAIN_CHECK(
        found != state.end() && found->second.sizes() == tensor.sizes(),
        ExitCode::kWeights,
        "the checkpoint's averaged weights: '{}' is missing or has another "
        "shape than [{}]",
        name,
        fmt::join(tensor.sizes(), ", "));
  }
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    for (const Segment& segment : state_.groups()[i].segments) {
      segment.in(averages_[i]).copy_(state.at(segment.name));
    }
  }
  for (Buffer& buffer : buffers_) {
    buffer.average.copy_(state.at(buffer.name));
  }
  averagings_ = averagings;
}

void Ema::exchange(bool averages) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const FlatGroup& group = state_.groups()[i];
    for (const Segment& segment : group.segments) {
      segment.parameter.set_data(
          segment.in(averages ? averages_[i] : group.parameters));
    }
  }
  for (const Buffer& buffer : buffers_) {
    buffer.tensor.set_data(averages ? buffer.average : buffer.own);
  }
}

} // namespace vitrain::optim

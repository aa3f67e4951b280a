#include "optim/flat_state.h"

#include <algorithm>
#include <map>
#include <ranges>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "core/check.h"

namespace vitrain::optim {
namespace {

constexpr std::int64_t kAlignment = 16; // elements: 64 bytes of fp32

std::int64_t aligned(std::int64_t elements) {
  return (elements + kAlignment - 1) / kAlignment * kAlignment;
}

// Moves the parameters of `group` into its buffers.
void flatten(FlatGroup& group, const at::TensorOptions& options) {
  std::int64_t size = 0;
  for (Segment& segment : group.segments) {
    segment.offset = size;
    size += aligned(segment.parameter.numel());
  }
  group.parameters = at::zeros({size}, options);
  group.gradients = at::zeros({size}, options);
  for (Segment& segment : group.segments) {
    at::Tensor& parameter = segment.parameter;
    const std::int64_t numel = parameter.numel();
    const at::Tensor view = group.parameters.narrow(0, segment.offset, numel)
                                .view(parameter.sizes());
    view.copy_(parameter.detach());
    parameter.set_data(view);
    parameter.mutable_grad() = group.gradients.narrow(0, segment.offset, numel)
                                   .view(parameter.sizes());
  }
}

} // namespace

bool is_no_decay(
    const std::string& name,
    std::int64_t dimensions,
    const std::vector<std::string>& no_decay) {
  const bool is_bias = name == "bias" || name.ends_with(".bias");
  return std::ranges::any_of(no_decay, [&](const std::string& rule) {
    if (rule == "bias") {
      return is_bias;
    }
    if (rule == "norm") {
      return dimensions <= 1 && !is_bias;
    }
    return name == rule || name.ends_with("." + rule);
  });
}

FlatState::FlatState(
    torch::nn::Module& module,
    double weight_decay,
    const std::vector<std::string>& no_decay) {
  const at::NoGradGuard no_grad;
  groups_.push_back({.name = "decay", .weight_decay = weight_decay});
  groups_.push_back({.name = "no_decay", .weight_decay = 0.0});
  const auto named = module.named_parameters();
  std::map<const void*, std::string> names;
  for (const auto& item : std::views::reverse(named.pairs())) {
    const auto& [name, parameter] = item;
    if (!parameter.requires_grad()) {
      continue;
    }
    VITRAIN_CHECK(
        parameter.scalar_type() == at::kFloat,
        ExitCode::kInternal,
        "parameter {} is not fp32",
        name);
    const auto [first, is_new] =
        names.emplace(parameter.unsafeGetTensorImpl(), name);
    VITRAIN_CHECK(
        is_new,
        ExitCode::kInternal,
        "{} and {} are one parameter: shared weights are not supported",
        first->second,
        name);
    FlatGroup& group =
        groups_[is_no_decay(name, parameter.dim(), no_decay) ? 1 : 0];
    group.segments.push_back({name, parameter});
  }
  std::erase_if(
      groups_, [](const FlatGroup& group) { return group.segments.empty(); });
  VITRAIN_CHECK(
      !groups_.empty(), ExitCode::kInternal, "the model has no parameters");
  const auto options =
      groups_.front().segments.front().parameter.options().requires_grad(false);
  for (FlatGroup& group : groups_) {
    flatten(group, options);
  }
}

std::int64_t FlatState::parameter_count() const {
  std::int64_t count = 0;
  for (const FlatGroup& group : groups_) {
    for (const Segment& segment : group.segments) {
      count += segment.parameter.numel();
    }
  }
  return count;
}

void FlatState::zero_gradients() {
  for (FlatGroup& group : groups_) {
    group.gradients.zero_();
  }
}

at::Tensor clip_gradients(FlatState& state, double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> norms;
  for (const FlatGroup& group : state.groups()) {
    norms.push_back(at::linalg_vector_norm(group.gradients));
  }
  const at::Tensor norm = at::linalg_vector_norm(at::stack(norms));
  if (max_norm > 0.0) {
    const at::Tensor factor =
        at::clamp_max(at::reciprocal(norm + 1e-6) * max_norm, 1.0);
    for (FlatGroup& group : state.groups()) {
      group.gradients.mul_(factor);
    }
  }
  return norm;
}

} // namespace vitrain::optim

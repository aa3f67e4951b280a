#include "optim/optimizer.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include "core/check.h"

namespace vitrain::optim {

Optimizer::Optimizer(FlatState& parameters) : parameters_(parameters) {
  const at::Tensor& first = parameters.groups().front().parameters;
  steps_ = at::zeros({}, first.options().dtype(at::kFloat));
  // A double on the CPU is exact; CUDA's kernels read a float.
  lr_ = at::zeros(
      {}, first.options().dtype(first.is_cuda() ? at::kFloat : at::kDouble));
}

Optimizer::Buffers& Optimizer::add_buffers(const std::string& name) {
  Buffers& buffers = buffers_[name];
  for (const FlatGroup& group : parameters_.groups()) {
    buffers.push_back(
        at::zeros({group.share_size}, group.parameters.options()));
  }
  return buffers;
}

at::Tensor Optimizer::own(const FlatGroup& group, const at::Tensor& whole) {
  return whole.narrow(0, group.own_begin, group.own_size);
}

at::Tensor Optimizer::own_state(
    const FlatGroup& group,
    const at::Tensor& share) {
  return share.narrow(0, 0, group.own_size);
}

void Optimizer::step(double lr, const at::Tensor& non_finite) {
  const at::NoGradGuard no_grad;
  lr_.fill_(lr);
  steps_.add_(1).sub_(non_finite);
  for (std::size_t i = 0; i < parameters_.groups().size(); ++i) {
    if (parameters_.groups()[i].own_size > 0) {
      update(i, lr_, non_finite);
    }
  }
}

std::vector<at::Tensor> Optimizer::buffers() const {
  std::vector<at::Tensor> all;
  for (const auto& [name, buffers] : buffers_) {
    all.insert(all.end(), buffers.begin(), buffers.end());
  }
  return all;
}

std::map<std::string, at::Tensor> Optimizer::state(const Gather& gather) const {
  std::map<std::string, at::Tensor> state{{"step", steps_.to(at::kLong)}};
  for (const auto& [name, buffers] : buffers_) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const at::Tensor whole =
          parameters_.share().count > 1 ? gather(buffers[i]) : buffers[i];
      if (!whole.defined()) {
        continue;
      }
      for (const Segment& segment : parameters_.groups()[i].segments) {
        state[segment.name + "." + name] = segment.in(whole);
      }
    }
  }
  return state;
}

void Optimizer::take_share(
    const FlatGroup& group,
    const Segment& segment,
    const at::Tensor& saved,
    at::Tensor share) const {
  const std::int64_t begin = std::max(group.own_begin, segment.offset);
  const std::int64_t end = std::min(
      group.own_begin + group.own_size,
      segment.offset + segment.parameter.numel());
  if (begin < end) {
    share.narrow(0, begin - group.own_begin, end - begin)
        .copy_(
            segment.flat(saved).narrow(0, begin - segment.offset, end - begin));
  }
}

void Optimizer::load_state(const std::map<std::string, at::Tensor>& state) {
  const at::NoGradGuard no_grad;
  check_state(state);
  steps_.copy_(state.at("step"));
  for (auto& [name, buffers] : buffers_) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const FlatGroup& group = parameters_.groups()[i];
      for (const Segment& segment : group.segments) {
        take_share(
            group, segment, state.at(segment.name + "." + name), buffers[i]);
      }
    }
  }
}

void Optimizer::check_state(
    const std::map<std::string, at::Tensor>& state) const {
  std::map<std::string, std::vector<std::int64_t>> expected{{"step", {}}};
  for (const auto& [name, buffers] : buffers_) {
    for (const FlatGroup& group : parameters_.groups()) {
      for (const Segment& segment : group.segments) {
        expected[segment.name + "." + name] = segment.shape;
      }
    }
  }
  for (const auto& [name, tensor] : state) {
    VITRAIN_CHECK(
        expected.contains(name),
        ExitCode::kWeights,
        "optimizer state '{}' does not belong to this model and optimizer",
        name);
  }
  for (const auto& [name, shape] : expected) {
    const auto found = state.find(name);
    VITRAIN_CHECK(
        found != state.end(),
        ExitCode::kWeights,
        "optimizer state '{}' is missing",
        name);
    VITRAIN_CHECK(
        found->second.sizes() == shape,
        ExitCode::kWeights,
        "optimizer state '{}' has shape [{}], this model's parameter [{}]",
        name,
        fmt::join(found->second.sizes(), ", "),
        fmt::join(shape, ", "));
  }
}

} // namespace vitrain::optim

#include "optim/optimizer.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include "core/check.h"

namespace vitrain::optim {
namespace {

// Likely causes of a mismatch between a run and its -resume.
constexpr const char* kOthersTrained =
    ": optim.name, or which parameters are trained (model.freeze, optim.groups "
    "with from_epoch or until_epoch), is not as it was when it was saved";

} // namespace

Optimizer::Optimizer(FlatState& parameters) : parameters_(parameters) {
  const at::Tensor& first = parameters.groups().front().parameters;
  steps_ = at::zeros({}, first.options().dtype(at::kFloat));
  std::vector<double> scales;
  for (const FlatGroup& group : parameters.groups()) {
    missed_.push_back(at::zeros_like(steps_));
    scales.push_back(group.lr_scale);
  }
  // Doubles on the CPU are exact; CUDA's kernels read floats.
  scales_ = at::tensor(scales, at::kDouble)
                .to(first.device(), first.is_cuda() ? at::kFloat : at::kDouble);
  lr_ = at::zeros_like(scales_);
}

Optimizer::Buffers& Optimizer::add_buffers(
    const std::string& name,
    double fill,
    const std::function<bool(const FlatGroup&)>& wanted) {
  Buffers& buffers = buffers_[name];
  for (const FlatGroup& group : parameters_.groups()) {
    const bool has = !wanted || wanted(group);
    buffers.push_back(at::full(
        {has ? group.share_size : 0}, fill, group.parameters.options()));
  }
  return buffers;
}

std::vector<Optimizer::Buffers>& Optimizer::add_tensors(
    const std::string& name,
    const std::function<std::optional<Shape>(const Segment&)>& shape_of) {
  std::vector<Buffers>& all = tensors_[name];
  for (const FlatGroup& group : parameters_.groups()) {
    Buffers& tensors = all.emplace_back();
    for (const Segment& segment : group.segments) {
      const std::optional<Shape> shape = shape_of(segment);
      tensors.push_back(
          shape ? at::zeros(*shape, group.parameters.options()) : at::Tensor());
    }
  }
  return all;
}

at::Tensor Optimizer::own(const FlatGroup& group, const at::Tensor& whole) {
  return whole.narrow(0, group.own_begin, group.own_size);
}

at::Tensor Optimizer::own_state(
    const FlatGroup& group,
    const at::Tensor& share) {
  return share.narrow(0, 0, group.own_size);
}

at::Tensor Optimizer::zeros_of_largest(const FlatState& parameters) {
  std::int64_t largest = 0;
  for (const FlatGroup& group : parameters.groups()) {
    largest = std::max(largest, group.own_size);
  }
  return at::zeros({largest}, parameters.groups().front().parameters.options());
}

std::vector<const Segment*> Optimizer::own_segments(const FlatGroup& group) {
  std::vector<const Segment*> own;
  for (const Segment& segment : group.segments) {
    if (segment.offset >= group.own_begin &&
        segment.offset < group.own_begin + group.own_size) {
      own.push_back(&segment);
    }
  }
  return own;
}

void Optimizer::assign(
    const at::Tensor& target,
    const at::Tensor& value,
    const Rate& rate) {
  target.copy_(
      target.is_cpu() ? value
                      : at::where(rate.non_finite.gt(0), target, value));
}

void Optimizer::move(
    const at::Tensor& target,
    double keep,
    const at::Tensor& step,
    double size,
    const Rate& rate) {
  if (target.is_cpu()) {
    target.mul_(keep).sub_(step, size);
  } else {
    assign(target, target.mul(keep).sub_(step, size), rate);
  }
}

void Optimizer::begin_step(const Progress& progress) {
  const at::NoGradGuard no_grad;
  progress_ = progress;
  begin_slow(lookahead_, slow_pairs(), progress_);
}

void Optimizer::step(
    double lr,
    const at::Tensor& non_finite,
    const at::Tensor& divisor) {
  const at::NoGradGuard no_grad;
  if (!non_finite.is_cpu() || non_finite.item<float>() == 0.0F) {
    update_groups(lr, non_finite, divisor);
  }
  if (const auto pairs = slow_pairs(); !pairs.empty()) {
    after_update(lookahead_, pairs, progress_, steps_, non_finite);
  }
}

void Optimizer::update_groups(
    double lr,
    const at::Tensor& non_finite,
    const at::Tensor& divisor) {
  steps_.add_(1).sub_(non_finite);
  at::mul_out(lr_, scales_, at::scalar_tensor(lr, at::kDouble));
  for (std::size_t i = 0; i < parameters_.groups().size(); ++i) {
    const FlatGroup& group = parameters_.groups()[i];
    if (group.waits) {
      missed_[i].add_(1).sub_(non_finite);
    } else if (group.own_size > 0) {
      update(
          i,
          {.lr = lr * group.lr_scale,
           .lr_tensor = lr_[static_cast<std::int64_t>(i)],
           .count = group.from_epoch > 1 ? steps_ - missed_[i] : steps_,
           .non_finite = non_finite,
           .divisor = divisor});
    }
  }
}

void Optimizer::look_ahead(const config::LookaheadConfig& options) {
  slow_ = &add_buffers("lookahead_slow");
  lookahead_ = options;
}

void Optimizer::look_ahead_with(
    const std::map<std::string, at::Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (slow_ != nullptr && tensor.is_floating_point()) {
      slow_tensors_[name] = {tensor.detach(), tensor.detach().clone()};
    }
  }
}

std::map<std::string, at::Tensor> Optimizer::slow_tensors() const {
  std::map<std::string, at::Tensor> named;
  for (const auto& [name, pair] : slow_tensors_) {
    named[name + ".lookahead_slow"] = pair.slow;
  }
  return named;
}

std::vector<SlowPair> Optimizer::slow_pairs() const {
  std::vector<SlowPair> pairs;
  for (std::size_t i = 0; slow_ != nullptr && i < slow_->size(); ++i) {
    const FlatGroup& group = parameters_.groups()[i];
    if (group.own_size > 0) {
      pairs.push_back(
          {own(group, group.parameters), own_state(group, (*slow_)[i])});
    }
  }
  for (const auto& [name, pair] : slow_tensors_) {
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<at::Tensor> Optimizer::buffers() const {
  std::vector<at::Tensor> all;
  const auto add = [&](const Buffers& buffers) {
    for (const at::Tensor& buffer : buffers) {
      if (buffer.defined() && buffer.numel() > 0) {
        all.push_back(buffer);
      }
    }
  };
  for (const auto& [name, buffers] : buffers_) {
    add(buffers);
  }
  for (const auto& [name, groups] : tensors_) {
    std::ranges::for_each(groups, add);
  }
  for (const auto& [name, count] : missed()) {
    all.push_back(count);
  }
  return all;
}

std::map<std::string, at::Tensor> Optimizer::missed() const {
  std::map<std::string, at::Tensor> all;
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    const FlatGroup& group = parameters_.groups()[i];
    if (group.from_epoch > 1) {
      all["missed." + group.name] = missed_[i];
    }
  }
  return all;
}

std::vector<std::vector<at::Tensor>> Optimizer::buffers_by_kind() const {
  std::vector<std::vector<at::Tensor>> kinds;
  for (const auto& [name, buffers] : buffers_) {
    kinds.push_back(buffers);
  }
  return kinds;
}

std::map<std::string, at::Tensor> Optimizer::state(const Gather& gather) const {
  std::map<std::string, at::Tensor> state{{"step", steps_.to(at::kLong)}};
  for (const auto& [name, buffers] : buffers_) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].numel() == 0) {
        continue;
      }
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
  state.merge(unshared());
  return state;
}

std::map<std::string, at::Tensor> Optimizer::unshared() const {
  std::map<std::string, at::Tensor> all = missed();
  all.merge(slow_tensors());
  for (const auto& [name, groups] : tensors_) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = 0; j < groups[i].size(); ++j) {
        if (groups[i][j].defined()) {
          const Segment& segment = parameters_.groups()[i].segments[j];
          all[segment.name + "." + name] = groups[i][j];
        }
      }
    }
  }
  return all;
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
        if (buffers[i].numel() > 0) {
          take_share(
              group, segment, state.at(segment.name + "." + name), buffers[i]);
        }
      }
    }
  }
  for (const auto& [name, tensor] : unshared()) {
    tensor.copy_(state.at(name));
  }
}

void Optimizer::check_state(
    const std::map<std::string, at::Tensor>& state) const {
  std::map<std::string, std::vector<std::int64_t>> expected{{"step", {}}};
  for (const auto& [name, buffers] : buffers_) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      for (const Segment& segment : parameters_.groups()[i].segments) {
        if (buffers[i].numel() > 0) {
          expected[segment.name + "." + name] = segment.shape;
        }
      }
    }
  }
  for (const auto& [name, tensor] : unshared()) {
    expected[name] = tensor.sizes().vec();
  }
  for (const auto& [name, tensor] : state) {
    VITRAIN_CHECK(
        expected.contains(name),
        ExitCode::kWeights,
        "optimizer state '{}' does not belong to this model and optimizer{}",
        name,
        kOthersTrained);
  }
  for (const auto& [name, shape] : expected) {
    const auto found = state.find(name);
    VITRAIN_CHECK(
        found != state.end(),
        ExitCode::kWeights,
        "optimizer state '{}' is missing{}",
        name,
        kOthersTrained);
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

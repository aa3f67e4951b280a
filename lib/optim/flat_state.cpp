#include "optim/flat_state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "core/aligned.h"
#include "core/check.h"

namespace vitrain::optim {
namespace {

void remember_layout(Segment& segment) {
  const at::Tensor& parameter = segment.parameter;
  segment.shape = parameter.sizes().vec();
  segment.strides = parameter.is_non_overlapping_and_dense()
      ? parameter.strides().vec()
      : at::empty_like(parameter, at::MemoryFormat::Contiguous).strides().vec();
}

// Places the segments one after the other. Returns the number of elements.
std::int64_t place_in_a_row(FlatGroup& group) {
  std::int64_t size = 0;
  for (Segment& segment : group.segments) {
    segment.offset = size;
    size += round_up(segment.parameter.numel(), kAlignedFloats);
  }
  return size;
}

// Places the segments, none longer than a share, into shares of `share_size`
// elements, so that none crosses the end of a share. Returns the end of the
// last segment, or nullopt if they need more than `count` shares.
std::optional<std::int64_t>
place_in_shares(FlatGroup& group, std::int64_t share_size, std::int64_t count) {
  std::int64_t end = 0;
  for (Segment& segment : group.segments) {
    const std::int64_t size =
        round_up(segment.parameter.numel(), kAlignedFloats);
    const std::int64_t left = share_size - end % share_size;
    segment.offset = size > left ? end + left : end;
    end = segment.offset + size;
  }
  return end <= share_size * count ? std::optional(end) : std::nullopt;
}

// Places the segments into the smallest shares that cut no segment, found by
// bisection. Sets share_size and returns the end of the last segment.
std::int64_t place_whole(FlatGroup& group, std::int64_t count) {
  const std::int64_t size = place_in_a_row(group);
  std::int64_t low = 0; // largest known size that is too small
  for (const Segment& segment : group.segments) {
    low = std::max(
        low,
        round_up(segment.parameter.numel(), kAlignedFloats) - kAlignedFloats);
  }
  low = std::max(
      low, size / count / kAlignedFloats * kAlignedFloats - kAlignedFloats);
  std::int64_t high = size;
  while (high - low > kAlignedFloats) {
    const std::int64_t middle = round_up((low + high) / 2, kAlignedFloats);
    const std::int64_t tried = middle == high ? high - kAlignedFloats : middle;
    (place_in_shares(group, tried, count) ? high : low) = tried;
  }
  group.share_size = high;
  return *place_in_shares(group, high, count);
}

// Moves the parameters of `group` into its buffers.
void flatten(
    FlatGroup& group,
    const Share& share,
    const at::TensorOptions& options) {
  std::int64_t size = 0;
  if (share.whole_parameters && share.count > 1) {
    size = place_whole(group, share.count);
  } else {
    size = place_in_a_row(group);
    // Share sizes are multiples of every instruction set's vector size, so that
    // the kernel does the same arithmetic per element on a share as on the
    // whole buffer.
    group.share_size =
        round_up((size + share.count - 1) / share.count, kAlignedFloats);
  }
  group.own_begin = std::min(size, share.index * group.share_size);
  group.own_size = std::min(size - group.own_begin, group.share_size);
  group.shares = at::zeros({share.count * group.share_size}, options);
  group.parameters = group.shares.narrow(0, 0, size);
  group.gradients = at::zeros({size}, options);
  for (Segment& segment : group.segments) {
    at::Tensor& parameter = segment.parameter;
    remember_layout(segment);
    const at::Tensor view = segment.in(group.parameters);
    view.copy_(parameter.detach());
    parameter.set_data(view);
    parameter.mutable_grad() = segment.in(group.gradients);
  }
}

// Throws Error(kInternal), which says that parameter `name` was `what`, unless
// `good`.
void expect(bool good, const std::string& name, const char* what) {
  VITRAIN_CHECK(
      good,
      ExitCode::kInternal,
      "parameter {} was {} after the training state had been made from the "
      "model: its gradient would not be exchanged. Change a model before "
      "training begins",
      name,
      what);
}

} // namespace

at::Tensor Segment::in(const at::Tensor& buffer) const {
  return buffer.narrow(0, offset, c10::multiply_integers(shape))
      .as_strided(shape, strides);
}

at::Tensor Segment::flat(const at::Tensor& values) const {
  const at::Tensor ordered =
      at::empty_strided(shape, strides, values.options());
  return ordered.copy_(values).as_strided({ordered.numel()}, {1});
}

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

Grouping decay_grouping(
    double weight_decay,
    const std::vector<std::string>& no_decay) {
  return [=](const std::string& name, at::IntArrayRef shape) {
    const bool exempt =
        is_no_decay(name, static_cast<std::int64_t>(shape.size()), no_decay);
    return GroupSettings{
        .name = exempt ? "no_decay" : "decay",
        .weight_decay = exempt ? 0.0 : weight_decay,
        .exempt = exempt};
  };
}

FlatState::FlatState(
    torch::nn::Module& module,
    double weight_decay,
    const std::vector<std::string>& no_decay,
    const Share& share)
    : FlatState(module, decay_grouping(weight_decay, no_decay), share) {}

FlatState::FlatState(
    torch::nn::Module& module,
    const Grouping& grouping,
    const Share& share)
    : share_(share) {
  const at::NoGradGuard no_grad;
  const auto named = module.named_parameters();
  std::map<const void*, std::string> names;
  for (const auto& item : std::views::reverse(named.pairs())) {
    const auto& [name, parameter] = item;
    if (!parameter.requires_grad()) {
      frozen_.push_back(name);
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
    GroupSettings settings = grouping(name, parameter.sizes());
    auto group = std::ranges::find(groups_, settings.name, &FlatGroup::name);
    if (group == groups_.end()) {
      group = groups_.insert(groups_.end(), FlatGroup{std::move(settings)});
    }
    group->segments.push_back({name, parameter});
  }
  VITRAIN_CHECK(
      !groups_.empty(), ExitCode::kInternal, "the model has no parameters");
  std::ranges::stable_sort(groups_, {}, &order_of);
  const auto options =
      groups_.front().segments.front().parameter.options().requires_grad(false);
  for (FlatGroup& group : groups_) {
    flatten(group, share, options);
  }
}

FlatState::FlatState(std::vector<FlatGroup> groups)
    : groups_(std::move(groups)) {
  for (FlatGroup& group : groups_) {
    group.shares = group.parameters;
    group.share_size = group.parameters.numel();
    group.own_size = group.share_size;
    std::ranges::for_each(group.segments, remember_layout);
  }
}

void FlatState::check_values() const {
  for (const FlatGroup& group : groups_) {
    const auto element =
        static_cast<std::int64_t>(group.parameters.element_size());
    const auto* start = static_cast<const char*>(group.parameters.data_ptr());
    for (const Segment& segment : group.segments) {
      const at::Tensor& parameter = segment.parameter;
      expect(parameter.requires_grad(), segment.name, "frozen");
      expect(
          parameter.sizes() == segment.shape &&
              parameter.strides() == segment.strides,
          segment.name,
          "reshaped");
      expect(
          parameter.data_ptr() == start + segment.offset * element,
          segment.name,
          "replaced");
    }
  }
}

void FlatState::check_model(const torch::nn::Module& module) const {
  check_values();
  std::map<std::string, at::Tensor> now;
  for (const auto& item : module.named_parameters()) {
    now.emplace(item.key(), item.value());
  }
  for (const FlatGroup& group : groups_) {
    for (const Segment& segment : group.segments) {
      const auto found = now.find(segment.name);
      expect(found != now.end(), segment.name, "removed");
      expect(
          found->second.is_same(segment.parameter), segment.name, "replaced");
      now.erase(found);
    }
  }
  for (const std::string& name : frozen_) {
    const auto found = now.find(name);
    expect(
        found == now.end() || !found->second.requires_grad(), name, "thawed");
    now.erase(name);
  }
  expect(now.empty(), now.empty() ? "" : now.begin()->first, "added");
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

void FlatState::zero_waiting_gradients() {
  for (FlatGroup& group : groups_) {
    if (group.waits) {
      group.gradients.zero_();
    }
  }
}

void FlatState::set_epoch(std::int64_t epoch) {
  for (FlatGroup& group : groups_) {
    group.waits = epoch < group.from_epoch ||
        (group.until_epoch && epoch > *group.until_epoch);
  }
}

void FlatState::scale_weight_decay(double share) {
  if (full_decay_.empty()) {
    for (const FlatGroup& group : groups_) {
      full_decay_.push_back(group.weight_decay);
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].weight_decay = full_decay_[i] * share;
  }
}

void FlatState::zero_gradients() {
  for (FlatGroup& group : groups_) {
    group.gradients.zero_();
  }
}

} // namespace vitrain::optim

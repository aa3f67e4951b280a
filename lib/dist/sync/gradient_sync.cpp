#include "dist/sync/gradient_sync.h"

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "core/check.h"

namespace vitrain::dist {
namespace {

// Calls back when a parameter's gradient is complete. Unlike torch's hook of
// the parameter, it also runs if all gradients were added by the layers that
// use it (networks::NarrowScope).
class ArrivalHook final : public torch::autograd::FunctionPostHook {
 public:
  explicit ArrivalHook(std::function<void()> callback)
      : callback_(std::move(callback)) {}
  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& outputs,
      const torch::autograd::variable_list& /*inputs*/) override {
    callback_();
    return outputs;
  }

 private:
  std::function<void()> callback_;
};

} // namespace

struct BucketedAllReduce::Bucket {
  std::vector<std::string> names;
  // Per parameter: its gradient is complete in this micro-batch.
  std::vector<bool> arrived{};
  // Number of parameters whose gradient is not complete.
  std::size_t missing = 0;
};

BucketedAllReduce::BucketedAllReduce(
    Group& group,
    std::vector<GradientBuffer> buffers,
    const BucketOptions& options)
    : group_(&group), buffers_(std::move(buffers)) {
  for (const GradientBuffer& buffer : buffers_) {
    cut(buffer, options);
  }
}

BucketedAllReduce::~BucketedAllReduce() {
  for (const auto& [accumulator, hook] : hooks_) {
    accumulator->del_post_hook(hook);
  }
}

std::int64_t BucketedAllReduce::begin_step(const StepInfo& step) {
  step_ = step.step;
  return std::max<std::int64_t>(
      1,
      std::accumulate(
          step.samples.begin(), step.samples.end(), std::int64_t{0}));
}

void BucketedAllReduce::begin_micro_batch(bool last, bool empty) {
  syncing_ = last;
  empty_ = empty;
  next_ = 0;
  traffic_ = {};
  for (Bucket& bucket : buckets_) {
    bucket.arrived.assign(bucket.names.size(), false);
    bucket.missing = bucket.names.size();
  }
  for (const auto& exchange : exchanges_) {
    exchange->begin(step_);
  }
}

bool BucketedAllReduce::finish() {
  if (!empty_) {
    check_all_arrived();
  }
  const at::NoGradGuard no_grad;
  traffic_ = {};
  traffic_.add_exposed(timed(buffers_.front().gradients.device(), [&] {
    // A rank without samples in the last micro-batch starts its exchanges here.
    while (next_ < buckets_.size()) {
      launch_next();
    }
    for (const auto& exchange : exchanges_) {
      exchange->advance(*group_);
    }
    for (const auto& exchange : exchanges_) {
      exchange->complete(*group_);
    }
  }));
  syncing_ = false;
  for (const auto& exchange : exchanges_) {
    traffic_.bytes += exchange->bytes();
  }
  add_travel(traffic_, exchanges_);
  return true;
}

void BucketedAllReduce::flush(const std::function<void()>& /*update*/) {
  const at::NoGradGuard no_grad;
  for (const auto& exchange : exchanges_) {
    exchange->flush(*group_);
  }
}

std::map<std::string, at::Tensor> BucketedAllReduce::state() const {
  std::map<std::string, at::Tensor> state;
  for (const auto& exchange : exchanges_) {
    state.merge(exchange->state());
  }
  return state;
}

std::optional<double> BucketedAllReduce::largest_sent() const {
  std::vector<at::Tensor> extremes;
  for (const auto& exchange : exchanges_) {
    extremes.push_back(exchange->extremes());
  }
  return largest_of(extremes);
}

void BucketedAllReduce::cut(
    const GradientBuffer& buffer,
    const BucketOptions& options) {
  const auto element =
      static_cast<std::int64_t>(buffer.gradients.element_size());
  std::int64_t begin = 0;
  std::vector<std::string> names;
  std::vector<BucketPart> parts;
  for (std::size_t i = 0; i < buffer.slots.size(); ++i) {
    const GradientSlot& slot = buffer.slots[i];
    const bool is_last = i + 1 == buffer.slots.size();
    const std::int64_t end =
        is_last ? buffer.gradients.numel() : buffer.slots[i + 1].offset;
    watch(slot, buckets_.size(), names.size());
    names.push_back(slot.name);
    const auto of_slot = [&slot](const at::Tensor& whole) {
      return whole.narrow(0, slot.offset, slot.parameter.numel())
          .as_strided(slot.parameter.sizes(), slot.parameter.strides());
    };
    parts.push_back(
        {slot.name,
         of_slot(buffer.gradients),
         buffer.pruned.defined() ? of_slot(buffer.pruned) : at::Tensor()});
    const std::int64_t limit = begin == 0 ? options.first_bytes : options.bytes;
    if (is_last || (end - begin) * element >= limit) {
      buckets_.push_back({.names = std::move(names)});
      exchanges_.push_back(make_bucket_exchange(
          buffer.gradients.narrow(0, begin, end - begin),
          std::move(parts),
          options.compress,
          options.power_sgd,
          options.top_k));
      names.clear();
      parts.clear();
      begin = end;
    }
  }
}

void BucketedAllReduce::watch(
    const GradientSlot& slot,
    std::size_t bucket,
    std::size_t index) {
  auto accumulator = torch::autograd::impl::grad_accumulator(slot.parameter);
  const std::uintptr_t hook =
      accumulator->add_post_hook(std::make_unique<ArrivalHook>(
          [this, bucket, index] { arrive(buckets_[bucket], index); }));
  hooks_.emplace_back(std::move(accumulator), hook);
}

void BucketedAllReduce::arrive(Bucket& bucket, std::size_t index) {
  // A second backward pass would add to gradients that are being exchanged.
  VITRAIN_CHECK(
      !bucket.arrived.empty() && !bucket.arrived[index],
      ExitCode::kInternal,
      "the gradient of {} arrived outside the one backward pass of a "
      "micro-batch",
      bucket.names[index]);
  bucket.arrived[index] = true;
  --bucket.missing;
  // Launches in fixed order, so that all ranks issue the same sequence of
  // collectives.
  while (syncing_ && next_ < buckets_.size() && buckets_[next_].missing == 0) {
    launch_next();
  }
}

void BucketedAllReduce::launch_next() {
  const at::NoGradGuard no_grad;
  exchanges_[next_++]->launch(*group_);
}

void BucketedAllReduce::check_all_arrived() const {
  std::vector<std::string> missing;
  for (const Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.names.size(); ++i) {
      if (bucket.arrived.empty() || !bucket.arrived[i]) {
        missing.push_back(bucket.names[i]);
      }
    }
  }
  VITRAIN_CHECK(
      missing.empty(),
      ExitCode::kInternal,
      "backward gave no gradient for {} parameters ({}): every parameter "
      "that is trained must take part in the loss",
      missing.size(),
      fmt::join(missing, ", "));
}

std::unique_ptr<BucketedAllReduce> make_bucketed_all_reduce(
    Group& group,
    std::vector<GradientBuffer> buffers,
    const BucketOptions& options) {
  return std::make_unique<BucketedAllReduce>(
      group, std::move(buffers), options);
}

} // namespace vitrain::dist

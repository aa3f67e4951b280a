#include "dist/sync/averaging.h"

#include <atomic>
#include <ranges>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/system/clock.h"

namespace vitrain::dist {
namespace {

using Tensors = std::vector<at::Tensor>;

// Replaces every tensor by its mean over the group. Returns the bytes sent.
std::int64_t average(Group& group, const Tensors& tensors) {
  std::vector<Pending> pending;
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) {
    pending.push_back(group.all_reduce_async(tensor));
    bytes += bytes_of(group, tensor);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    pending[i].wait();
    tensors[i].div_(group.size());
  }
  return bytes;
}

Tensors copies(const Tensors& tensors) {
  Tensors result;
  for (const at::Tensor& tensor : tensors) {
    result.push_back(tensor.clone());
  }
  return result;
}

// Base class of modes in which each rank updates by its own gradients and the
// parameters are averaged from time to time.
class LocalUpdates : public GradientSync {
 public:
  LocalUpdates(
      Group& group,
      ReplicaBuffers buffers,
      const BucketOptions& buckets)
      : group_(group),
        parameters_(std::move(buffers.parameters)),
        moments_(std::move(buffers.moments)),
        gradients_(alone_, std::move(buffers.gradients), buckets) {}

  std::int64_t begin_step(const StepInfo& step) override {
    updates_ = step.step;
    const auto rank = static_cast<std::size_t>(group_.rank());
    return std::max<std::int64_t>(1, step.samples[rank]);
  }

  void begin_micro_batch(bool last, bool empty) override {
    gradients_.begin_micro_batch(last, empty);
  }

  bool finish() override {
    gradients_.finish();
    traffic_ = gradients_.traffic();
    return true;
  }

  void updated() final {
    ++updates_;
    apart_ = true;
    const at::NoGradGuard no_grad;
    const Stopwatch watch;
    meet(updates_);
    traffic_.exposed_seconds += watch.seconds();
  }

  void flush(const std::function<void()>& /*update*/) override {
    const at::NoGradGuard no_grad;
    if (apart_) {
      join();
    }
    // A checkpoint stores one optimizer state for all ranks; training must
    // continue from that same state.
    average(group_, moments_);
  }

  std::optional<double> largest_sent() const override {
    return gradients_.largest_sent();
  }

  Traffic traffic() const override { return traffic_; }

 protected:
  // Called after each update; `updates` is the number of updates so far.
  virtual void meet(std::int64_t updates) = 0;
  // Makes the parameters of all ranks equal.
  virtual void join() {
    traffic_.bytes += average(group_, parameters_);
    apart_ = false;
  }

  Group& group_;
  Tensors parameters_;
  Tensors moments_;
  Group alone_;
  BucketedAllReduce gradients_;
  // True if parameters may differ between ranks.
  bool apart_ = false;
  Traffic traffic_;

 private:
  std::int64_t updates_ = 0;
};

// Base class that holds the options of one mode.
template <typename Options>
class WithOptions : public LocalUpdates {
 public:
  WithOptions(
      Group& group,
      ReplicaBuffers buffers,
      const BucketOptions& buckets,
      const Options& options)
      : LocalUpdates(group, std::move(buffers), buckets), options_(options) {}

 protected:
  Options options_;
};

template <typename Options>
class Averaging;

template <>
class Averaging<LocalSgdOptions> final : public WithOptions<LocalSgdOptions> {
 public:
  using WithOptions::WithOptions;

  std::int64_t begin_step(const StepInfo& step) override {
    const std::int64_t own = LocalUpdates::begin_step(step);
    Group& together = step.step < options_.start ? group_
        : options_.node != nullptr               ? *options_.node
                                                 : alone_;
    gradients_.use_group(together);
    if (together.size() == 1) {
      return own;
    }
    // The ranks of a node are consecutive.
    const int first = group_.rank() / together.size() * together.size();
    std::int64_t samples = 0;
    for (int rank = first; rank < first + together.size(); ++rank) {
      samples += step.samples[static_cast<std::size_t>(rank)];
    }
    return std::max<std::int64_t>(1, samples);
  }

  std::int64_t lead() const override { return options_.period - 1; }

 private:
  void meet(std::int64_t updates) override {
    if (updates <= options_.start) {
      apart_ = false;
    } else if ((updates - options_.start) % options_.period == 0) {
      join();
      if (options_.average_moments) {
        traffic_.bytes += average(group_, moments_);
      }
    }
  }
};

template <>
class Averaging<AveragingLevels> final : public WithOptions<AveragingLevels> {
 public:
  using WithOptions::WithOptions;

  std::int64_t lead() const override { return options_.front().period - 1; }

 private:
  void meet(std::int64_t updates) override {
    for (const AveragingLevel& level : std::views::reverse(options_)) {
      if (updates % level.period == 0) {
        traffic_.bytes += average(*level.group, parameters_);
        apart_ = level.group->size() < group_.size();
        return;
      }
    }
  }
};

template <>
class Averaging<DilocoOptions> final : public WithOptions<DilocoOptions> {
 public:
  Averaging(
      Group& group,
      ReplicaBuffers buffers,
      const BucketOptions& buckets,
      const DilocoOptions& options)
      : WithOptions(group, std::move(buffers), buckets, options) {
    for (const at::Tensor& parameters : parameters_) {
      momentum_.push_back(at::zeros_like(parameters));
    }
  }

  std::int64_t begin_step(const StepInfo& step) override {
    if (common_.empty()) {
      // Copied here rather than in the constructor, because weights are loaded
      // and broadcast after construction.
      common_ = copies(parameters_);
    }
    return LocalUpdates::begin_step(step);
  }

  std::int64_t lead() const override { return options_.period - 1; }

  std::map<std::string, at::Tensor> state() const override {
    std::map<std::string, at::Tensor> state;
    for (std::size_t i = 0; i < momentum_.size(); ++i) {
      state[fmt::format("sync.outer_momentum.{}", i)] = momentum_[i];
    }
    return state;
  }

 private:
  void meet(std::int64_t updates) override {
    if (updates % options_.period == 0) {
      join();
    }
  }

  // Makes the outer step, equal to torch.optim.SGD with nesterov=True.
  void join() override {
    LocalUpdates::join();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor gradient = common_[i] - parameters_[i];
      momentum_[i].mul_(options_.outer_momentum).add_(gradient);
      common_[i].sub_(
          gradient.add(momentum_[i], options_.outer_momentum),
          options_.outer_lr);
      parameters_[i].copy_(common_[i]);
    }
  }

  Tensors common_; // common parameters w before the local updates
  Tensors momentum_;
};

template <>
class Averaging<OverlapOptions> final : public WithOptions<OverlapOptions> {
 public:
  using WithOptions::WithOptions;

  void flush(const std::function<void()>& update) override {
    const at::NoGradGuard no_grad;
    correct();
    LocalUpdates::flush(update);
  }

  std::int64_t lead() const override { return options_.period - 1; }

 private:
  void meet(std::int64_t updates) override {
    if (updates % options_.period == 0) {
      own_ = copies(parameters_);
      sums_ = copies(parameters_);
      for (const at::Tensor& sum : sums_) {
        pending_.push_back(group_.all_reduce_async(sum));
        traffic_.bytes += bytes_of(group_, sum);
      }
    }
    if (updates % options_.period == options_.delay) {
      correct();
    }
  }

  void correct() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      pending_[i].wait();
      parameters_[i].add_(sums_[i].div_(group_.size()).sub_(own_[i]));
    }
    pending_.clear();
  }

  Tensors own_; // this rank's parameters when the all-reduce started
  Tensors sums_;
  std::vector<Pending> pending_;
};

class Hogwild final : public LocalUpdates {
 public:
  Hogwild(
      Group& group,
      ReplicaBuffers buffers,
      std::int64_t lead,
      at::Tensor updates)
      : LocalUpdates(group, std::move(buffers), {}),
        lead_(lead),
        updates_(std::move(updates)) {}

  std::int64_t begin_step(const StepInfo& step) override {
    if (!started_) {
      // Other ranks may still be writing initial values.
      group_.barrier();
      started_ = true;
    }
    takes_part_ = step.samples[static_cast<std::size_t>(group_.rank())] > 0;
    read_ = counter().load();
    return LocalUpdates::begin_step(step);
  }

  bool finish() override { return LocalUpdates::finish() && takes_part_; }

  std::int64_t lead() const override { return lead_; }

 private:
  void meet(std::int64_t /*updates*/) override {
    if (takes_part_) {
      traffic_.staleness.add(counter().fetch_add(1) - read_);
    }
  }
  // All ranks share one set of parameters: waits until no rank is updating it.
  void join() override {
    group_.barrier();
    apart_ = false;
  }

  // Number of updates of all ranks, in shared memory.
  std::atomic_ref<std::int64_t> counter() const {
    return std::atomic_ref(*updates_.data_ptr<std::int64_t>());
  }

  std::int64_t lead_;
  at::Tensor updates_;
  std::int64_t read_ = 0; // value of counter() when the step began
  bool started_ = false;
  bool takes_part_ = false;
};

} // namespace

std::unique_ptr<GradientSync> make_averaging(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    const AveragingOptions& options) {
  return std::visit(
      [&]<typename Options>(
          const Options& own) -> std::unique_ptr<GradientSync> {
        return std::make_unique<Averaging<Options>>(
            group, std::move(buffers), buckets, own);
      },
      options);
}

std::unique_ptr<GradientSync> make_hogwild(
    Group& group,
    ReplicaBuffers buffers,
    std::int64_t lead,
    const at::Tensor& updates) {
  return std::make_unique<Hogwild>(group, std::move(buffers), lead, updates);
}

} // namespace vitrain::dist

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>

#include "data/order/mt_permutation.h"
#include "data/order/order.h"

namespace vitrain::data {
namespace {

using List = std::vector<std::int64_t>;

List in_order(std::int64_t samples) {
  List list(static_cast<std::size_t>(samples));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Repeats the list from its start until it has `size` elements, each time with
// `step` added, or cuts it.
void fit(List& list, std::int64_t size, std::int64_t step) {
  const std::size_t n = list.size();
  list.resize(static_cast<std::size_t>(size));
  for (std::size_t i = n; i < list.size(); ++i) {
    list[i] = list[i - n] + step;
  }
}

// An order that has to be made as a whole: one list per epoch, of which lanes
// take their positions. Copy c of sample i stands in it as i + c * samples.
class ListOrder : public Order {
 public:
  ListOrder(std::int64_t samples, std::int64_t lanes, std::int64_t length)
      : Order(lanes, length), samples_(samples) {}

  void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const final {
    const std::shared_ptr<const List> list = list_of(epoch);
    for (Draw& draw : into) {
      const std::int64_t number =
          (*list)[static_cast<std::size_t>(place(lane, first++))];
      draw = {
          .epoch = epoch,
          .sample = number % samples_,
          .copy = number / samples_};
    }
  }

 protected:
  std::int64_t samples() const { return samples_; }

 private:
  virtual List make(std::int64_t epoch) const = 0;
  // Where position i of a lane is in the list; by default every W-th element.
  virtual std::int64_t place(std::int64_t lane, std::int64_t i) const {
    return lane + i * lanes();
  }

  // Two are kept: the loader is ahead of the step at the end of an epoch.
  std::shared_ptr<const List> list_of(std::int64_t epoch) const {
    const std::lock_guard lock(mutex_);
    Made& made = made_[static_cast<std::size_t>(epoch % 2)];
    if (made.list == nullptr || made.epoch != epoch) {
      made = {epoch, std::make_shared<const List>(make(epoch))};
    }
    return made.list;
  }

  struct Made {
    std::int64_t epoch = -1;
    std::shared_ptr<const List> list;
  };
  std::int64_t samples_;
  mutable std::mutex mutex_;
  mutable std::array<Made, 2> made_;
};

// torch/utils/data/distributed.py, DistributedSampler: shuffle, then pad or cut
// to a multiple of W, then every W-th.
class TorchOrder final : public ListOrder {
 public:
  TorchOrder(
      std::int64_t samples,
      const SamplerOptions& options,
      std::int64_t world)
      : ListOrder(
            samples,
            world,
            options.drops_tail() ? samples / world : divide_up(samples, world)),
        shuffle_(options.shuffle),
        seed_(options.seed) {}

 private:
  List make(std::int64_t epoch) const override {
    List list = shuffle_
        ? torch_randperm(samples(), seed_ + static_cast<std::uint64_t>(epoch))
        : in_order(samples());
    fit(list, lanes() * length(), samples());
    return list;
  }

  bool shuffle_;
  std::uint64_t seed_;
};

// python/paddle/io/dataloader/batch_sampler.py, DistributedBatchSampler: pad to
// a multiple of W, then shuffle, then blocks of B per worker; what does not
// make W blocks is cut into W equal parts.
class PaddleOrder final : public ListOrder {
 public:
  PaddleOrder(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry)
      : ListOrder(samples, geometry.world, divide_up(samples, geometry.world)),
        shuffle_(options.shuffle),
        batch_(geometry.per_device) {}

 private:
  List make(std::int64_t epoch) const override {
    List list = in_order(samples());
    fit(list, lanes() * length(), samples());
    if (shuffle_) {
      numpy_shuffle(list, static_cast<std::uint32_t>(epoch));
    }
    return list;
  }

  std::int64_t place(std::int64_t lane, std::int64_t i) const override {
    const std::int64_t full = length() / batch_ * batch_;
    if (i < full) {
      return (i / batch_ * lanes() + lane) * batch_ + i % batch_;
    }
    const std::int64_t rest = length() - full;
    return full * lanes() + lane * rest + (i - full);
  }

  bool shuffle_;
  std::int64_t batch_;
};

// Python's float floor division, which numbers of repeats that are no integers
// go through.
std::int64_t floor_divide(std::int64_t i, double divisor) {
  const double value = static_cast<double>(i);
  const double rest = std::fmod(value, divisor);
  const double quotient = (value - rest) / divisor;
  double floored = std::floor(quotient);
  if (quotient - floored > 0.5) {
    floored += 1.0;
  }
  return static_cast<std::int64_t>(floored);
}

// DeiT's samplers.py, RASampler, and timm/data/distributed_sampler.py,
// RepeatAugSampler: shuffle, repeat each sample, pad, every W-th, of which an
// epoch takes the first so many.
class RepeatedOrder final : public ListOrder {
 public:
  RepeatedOrder(
      std::int64_t samples,
      const SamplerOptions& options,
      std::int64_t world)
      : ListOrder(samples, world, selected(samples, options, world)),
        shuffle_(options.shuffle),
        repeats_(options.repeats) {}

 private:
  static std::int64_t selected(
      std::int64_t samples,
      const SamplerOptions& options,
      std::int64_t world) {
    const std::int64_t chosen = options.round > 0 && samples >= options.round
        ? samples / options.round * options.round / world
        : divide_up(samples, world);
    // All that there is on a worker.
    const auto all = static_cast<std::int64_t>(std::ceil(
        static_cast<double>(samples) * options.repeats /
        static_cast<double>(world)));
    return std::min(chosen, all);
  }

  List make(std::int64_t epoch) const override {
    const List order = shuffle_
        ? torch_randperm(samples(), static_cast<std::uint64_t>(epoch))
        : in_order(samples());
    List list(static_cast<std::size_t>(
        std::ceil(repeats_ * static_cast<double>(samples()))));
    std::int64_t before = -1;
    std::int64_t copy = 0;
    std::int64_t copies = 1; // the most that a sample has
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::int64_t place =
          floor_divide(static_cast<std::int64_t>(i), repeats_);
      copy = place == before ? copy + 1 : 0;
      copies = std::max(copies, copy + 1);
      before = place;
      list[i] = order[static_cast<std::size_t>(place)] + copy * samples();
    }
    fit(list,
        std::max(std::ssize(list), lanes() * length()),
        copies * samples());
    return list;
  }

  bool shuffle_;
  double repeats_;
};

} // namespace

std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  switch (options.policy) {
    case SamplerPolicy::kPaddle:
      return std::make_unique<PaddleOrder>(samples, options, geometry);
    case SamplerPolicy::kRepeated:
      return std::make_unique<RepeatedOrder>(samples, options, geometry.world);
    default:
      return std::make_unique<TorchOrder>(samples, options, geometry.world);
  }
}

} // namespace vitrain::data

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

#include "data/load/mt_permutation.h"
#include "data/load/order.h"

namespace vitrain::data {
namespace {

using List = std::vector<std::int64_t>;

List in_order(std::int64_t samples) {
  List list(static_cast<std::size_t>(samples));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Resizes a list: truncates it, or repeats it from its start, adding `step` at
// each repetition.
void fit(List& list, std::int64_t size, std::int64_t step) {
  const std::size_t n = list.size();
  list.resize(static_cast<std::size_t>(size));
  for (std::size_t i = n; i < list.size(); ++i) {
    list[i] = list[i - n] + step;
  }
}

// An order that must be computed as a whole: one list per epoch, from which the
// lanes take their positions. The list contains copy c of sample i as i + c *
// samples.
class ListOrder final : public Order {
 public:
  using Make = std::function<List(std::int64_t epoch)>;
  // Returns the list index of position i of a lane.
  using ListIndex =
      std::function<std::int64_t(std::int64_t lane, std::int64_t i)>;

  ListOrder(
      std::int64_t samples,
      std::int64_t lanes,
      std::int64_t length,
      Make make,
      ListIndex list_index)
      : Order(lanes, length),
        samples_(samples),
        make_(std::move(make)),
        list_index_(std::move(list_index)) {}

  void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const override {
    const std::shared_ptr<const List> list = list_of(epoch);
    for (Draw& draw : into) {
      const std::int64_t number =
          (*list)[static_cast<std::size_t>(list_index_(lane, first++))];
      draw = {
          .epoch = epoch,
          .sample = number % samples_,
          .copy = number / samples_};
    }
  }

 private:
  // Caches two epochs, because at the end of an epoch the loader already
  // prepares the next one.
  std::shared_ptr<const List> list_of(std::int64_t epoch) const {
    const std::lock_guard lock(mutex_);
    Made& made = made_[static_cast<std::size_t>(epoch % 2)];
    if (made.list == nullptr || made.epoch != epoch) {
      made = {epoch, std::make_shared<const List>(make_(epoch))};
    }
    return made.list;
  }

  struct Made {
    std::int64_t epoch = -1;
    std::shared_ptr<const List> list;
  };
  std::int64_t samples_;
  Make make_;
  ListIndex list_index_;
  mutable std::mutex mutex_;
  mutable std::array<Made, 2> made_;
};

ListOrder::ListIndex every(std::int64_t lanes) {
  return
      [lanes](std::int64_t lane, std::int64_t i) { return lane + i * lanes; };
}

// DistributedSampler of torch/utils/data/distributed.py: shuffles, pads or
// truncates to a multiple of W = `world`, then assigns every W-th sample to a
// worker.
std::unique_ptr<const Order> torch_order(
    std::int64_t samples,
    const SamplerOptions& options,
    std::int64_t world) {
  const std::int64_t length =
      options.drops_tail() ? samples / world : divide_up(samples, world);
  const auto make =
      [=, shuffle = options.shuffle, seed = options.seed](std::int64_t epoch) {
        List list = shuffle
            ? torch_randperm(samples, seed + static_cast<std::uint64_t>(epoch))
            : in_order(samples);
        fit(list, world * length, samples);
        return list;
      };
  return std::make_unique<ListOrder>(
      samples, world, length, make, every(world));
}

// DistributedBatchSampler of python/paddle/io/dataloader/batch_sampler.py: pads
// to a multiple of W (workers), shuffles, then assigns blocks of B (per_device)
// to the workers; the remainder that does not fill W blocks is divided into W
// equal parts.
std::unique_ptr<const Order> paddle_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  const std::int64_t world = geometry.world;
  const std::int64_t length = divide_up(samples, world);
  const auto make = [=, shuffle = options.shuffle](std::int64_t epoch) {
    List list = in_order(samples);
    fit(list, world * length, samples);
    if (shuffle) {
      numpy_shuffle(list, static_cast<std::uint32_t>(epoch));
    }
    return list;
  };
  const auto list_index = [=, batch = geometry.per_device](
                              std::int64_t lane, std::int64_t i) {
    const std::int64_t full = length / batch * batch;
    if (i < full) {
      return (i / batch * world + lane) * batch + i % batch;
    }
    const std::int64_t rest = length - full;
    return full * world + lane * rest + (i - full);
  };
  return std::make_unique<ListOrder>(samples, world, length, make, list_index);
}

// Floor division of floats as in Python; used for non-integer repeats.
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

// Repeats each sample of an order `repeats` times, which may be fractional,
// then pads the list to `size` if it is shorter.
List repeated(const List& order, double repeats, std::int64_t size) {
  const std::int64_t samples = std::ssize(order);
  List list(static_cast<std::size_t>(
      std::ceil(repeats * static_cast<double>(samples))));
  std::int64_t before = -1;
  std::int64_t copy = 0;
  std::int64_t copies = 1; // maximum number of copies of a sample
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::int64_t place =
        floor_divide(static_cast<std::int64_t>(i), repeats);
    copy = place == before ? copy + 1 : 0;
    copies = std::max(copies, copy + 1);
    before = place;
    list[i] = order[static_cast<std::size_t>(place)] + copy * samples;
  }
  fit(list, std::max(std::ssize(list), size), copies * samples);
  return list;
}

// RASampler of DeiT's samplers.py and RepeatAugSampler of
// timm/data/distributed_sampler.py: shuffle, repeat each sample, pad, take
// every W-th position, and use the first ones of these in an epoch.
std::unique_ptr<const Order> repeated_order(
    std::int64_t samples,
    const SamplerOptions& options,
    std::int64_t world) {
  const std::int64_t chosen = options.round > 0 && samples >= options.round
      ? samples / options.round * options.round / world
      : divide_up(samples, world);
  // Number of positions of a worker in the repeated list.
  const auto all = static_cast<std::int64_t>(std::ceil(
      static_cast<double>(samples) * options.repeats /
      static_cast<double>(world)));
  const std::int64_t length = std::min(chosen, all);
  const auto make = [=, shuffle = options.shuffle, repeats = options.repeats](
                        std::int64_t epoch) {
    return repeated(
        shuffle ? torch_randperm(samples, static_cast<std::uint64_t>(epoch))
                : in_order(samples),
        repeats,
        world * length);
  };
  return std::make_unique<ListOrder>(
      samples, world, length, make, every(world));
}

} // namespace

std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  switch (options.policy) {
    case SamplerPolicy::kPaddle:
      return paddle_order(samples, options, geometry);
    case SamplerPolicy::kRepeated:
      return repeated_order(samples, options, geometry.world);
    default:
      return torch_order(samples, options, geometry.world);
  }
}

} // namespace vitrain::data

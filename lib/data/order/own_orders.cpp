#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/random.h"
#include "data/order/order.h"

namespace vitrain::data {
namespace {

// A permutation of the samples, or their own order.
class DealtOrder final : public Order {
 public:
  DealtOrder(std::int64_t samples, const SamplerOptions& options)
      : Order(/*lanes=*/1, samples),
        shuffled_(options.shuffle && options.policy == SamplerPolicy::kGlobal),
        seed_(options.seed) {}

  void take(
      std::int64_t epoch,
      std::int64_t /*lane*/,
      std::int64_t first,
      std::span<Draw> into) const override {
    const KeyedPermutation permutation(
        static_cast<std::uint64_t>(length()),
        seed_,
        static_cast<std::uint64_t>(epoch));
    for (Draw& draw : into) {
      const std::int64_t sample = shuffled_
          ? static_cast<std::int64_t>(
                permutation(static_cast<std::uint64_t>(first)))
          : first;
      draw = {.epoch = epoch, .sample = sample};
      ++first;
    }
  }

 private:
  bool shuffled_;
  std::uint64_t seed_;
};

// Draws with replacement: position p of an epoch takes the sample in whose
// share of the summed weights a uniform number keyed by (seed, epoch, p) falls.
class WeightedOrder final : public Order {
 public:
  WeightedOrder(std::int64_t samples, const SamplerOptions& options)
      : Order(/*lanes=*/1, samples), seed_(options.seed) {
    VITRAIN_CHECK(
        std::ssize(options.weights) == samples,
        ExitCode::kInternal,
        "{} weights for {} samples",
        options.weights.size(),
        samples);
    sums_.reserve(options.weights.size());
    double sum = 0.0;
    for (const double weight : options.weights) {
      VITRAIN_CHECK(
          weight >= 0.0 && std::isfinite(weight),
          ExitCode::kData,
          "the weight of sample {} is {}: expected a finite number that is not "
          "negative",
          sums_.size(),
          weight);
      sum += weight;
      sums_.push_back(sum);
    }
    VITRAIN_CHECK(
        sum > 0.0 && std::isfinite(sum),
        ExitCode::kData,
        "the weights of the samples sum to {}: nothing can be drawn",
        sum);
  }

  void take(
      std::int64_t epoch,
      std::int64_t /*lane*/,
      std::int64_t first,
      std::span<Draw> into) const override {
    for (Draw& draw : into) {
      Random random(
          seed_,
          Purpose::kOrder,
          static_cast<std::uint64_t>(epoch),
          static_cast<std::uint64_t>(first));
      // Strictly above the draw: a sample of weight 0 is never taken.
      const auto place =
          std::ranges::upper_bound(sums_, random.uniform() * sums_.back());
      draw = {
          .epoch = epoch,
          .sample =
              place == sums_.end() ? last_positive() : place - sums_.begin(),
          .copy = first++};
    }
  }

 private:
  // Where rounding made the product the whole sum.
  std::int64_t last_positive() const {
    return std::ranges::lower_bound(sums_, sums_.back()) - sums_.begin();
  }

  std::uint64_t seed_;
  std::vector<double> sums_;
};

// A block of consecutive samples per worker.
class ShardOrder final : public Order {
 public:
  ShardOrder(
      std::int64_t samples,
      const SamplerOptions& options,
      std::int64_t world)
      : Order(
            world,
            options.drops_tail() ? samples / world : divide_up(samples, world)),
        samples_(samples),
        shuffled_(options.shuffle),
        seed_(options.seed) {}

  void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const override {
    // The lane joins the key above any epoch that is reached.
    const std::uint64_t key = static_cast<std::uint64_t>(epoch) |
        (static_cast<std::uint64_t>(lane) + 1) << 40;
    const KeyedPermutation permutation(
        static_cast<std::uint64_t>(length()), seed_, key);
    for (Draw& draw : into) {
      const std::int64_t place = shuffled_
          ? static_cast<std::int64_t>(
                permutation(static_cast<std::uint64_t>(first)))
          : first;
      const std::int64_t taken = lane * length() + place;
      draw = {
          .epoch = epoch, .sample = taken % samples_, .copy = taken / samples_};
      ++first;
    }
  }

 private:
  std::int64_t samples_;
  bool shuffled_;
  std::uint64_t seed_;
};

} // namespace

std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  switch (options.policy) {
    case SamplerPolicy::kWeighted:
      return std::make_unique<WeightedOrder>(samples, options);
    case SamplerPolicy::kShardThenShuffle:
      return std::make_unique<ShardOrder>(samples, options, geometry.world);
    default:
      return std::make_unique<DealtOrder>(samples, options);
  }
}

} // namespace vitrain::data

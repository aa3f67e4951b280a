#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/random.h"
#include "data/load/order.h"

namespace vitrain::data {
namespace {

// Samples with replacement: position p of an epoch gets the sample whose
// interval of the cumulative weights contains a uniform random number keyed by
// (seed, epoch, p).
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
      VITRAIN_CHECK_DATA(
          weight >= 0.0 && std::isfinite(weight),
          "the weight of sample {} is {}: expected a finite number that is not "
          "negative",
          sums_.size(),
          weight);
      sum += weight;
      sums_.push_back(sum);
    }
    VITRAIN_CHECK_DATA(
        sum > 0.0 && std::isfinite(sum),
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
      // The first sum above the random number: a sample of weight 0 is never
      // used.
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
  // Last sample with positive weight; used if rounding made the random product
  // equal to the sum of weights.
  std::int64_t last_positive() const {
    return std::ranges::lower_bound(sums_, sums_.back()) - sums_.begin();
  }

  std::uint64_t seed_;
  std::vector<double> sums_;
};

// Lanes of consecutive samples, in permuted or original order: a single lane of
// all samples, or one lane per worker for kShardThenShuffle.
class BlockOrder final : public Order {
 public:
  BlockOrder(
      std::int64_t samples,
      const SamplerOptions& options,
      std::int64_t lanes)
      : Order(
            lanes,
            options.drops_tail() ? samples / lanes : divide_up(samples, lanes)),
        samples_(samples),
        policy_(options.policy),
        shuffled_(options.shuffle && policy_ != SamplerPolicy::kSequential),
        seed_(options.seed) {}

  void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const override {
    auto key = static_cast<std::uint64_t>(epoch);
    if (policy_ == SamplerPolicy::kShardThenShuffle) {
      // Combines the lane with the epoch; bit 40 is above any epoch that a run
      // reaches.
      key |= (static_cast<std::uint64_t>(lane) + 1) << 40;
    }
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
  SamplerPolicy policy_;
  bool shuffled_;
  std::uint64_t seed_;
};

} // namespace

std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  if (options.policy == SamplerPolicy::kWeighted) {
    return std::make_unique<WeightedOrder>(samples, options);
  }
  const bool shards = options.policy == SamplerPolicy::kShardThenShuffle;
  return std::make_unique<BlockOrder>(
      samples, options, shards ? geometry.world : 1);
}

} // namespace vitrain::data

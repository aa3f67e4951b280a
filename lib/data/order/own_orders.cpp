#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/random.h"
#include "data/order/order.h"

namespace vitrain::data {
namespace {

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

// Lanes of consecutive samples, each permuted or in its own order: one of all
// samples, or with kShardThenShuffle one per worker.
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
      // The lane joins the key above any epoch that is reached.
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

#include "dist/sync/shard_sum.h"

#include <numeric>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

constexpr std::int64_t kShards = 8;
constexpr std::int64_t kMicroBatches = 2; // of a shard

// Values of many magnitudes, so that other orders of addition round otherwise.
at::Tensor values_of(std::int64_t micro_batch, at::IntArrayRef sizes) {
  const at::Tensor t =
      at::arange(at::empty(sizes).numel(), at::kDouble) * 0.37 +
      static_cast<double>(micro_batch) * 1.91;
  return (t.sin() * (t * 0.7).cos().mul(9.0).exp()).to(at::kFloat).view(sizes);
}

// What the shards leave: gradients of two buffers, statistics and a counter.
struct Result {
  std::vector<at::Tensor> tensors;
  std::int64_t divisor = 0;
};

// A step on `ranks` ranks, in which shard s has samples[s] samples. The layer's
// statistics move by half of the way to each micro-batch's.
Result step_on(int ranks, const std::vector<std::int64_t>& samples) {
  Result result;
  run_ranks(ranks, [&](Rank& rank) {
    const at::Tensor a = at::zeros({37});
    const at::Tensor b = at::zeros({2, 3});
    const at::Tensor mean = at::full({5}, 0.3);
    const at::Tensor counter = at::full({}, 7, at::kLong);
    const auto sync = make_shard_sum(
        rank.data(), {{a, b}, {mean}, {counter}}, kShards, kMicroBatches);
    for (std::int64_t step = 0; step < 2; ++step) { // buffers are used again
      a.zero_();
      b.zero_();
      mean.fill_(0.3);
      counter.fill_(7);
      const std::int64_t divisor = sync->begin_step({step, samples});
      const std::int64_t own = kShards / ranks;
      for (std::int64_t i = 0; i < own * kMicroBatches; ++i) {
        const std::int64_t k = rank.rank() * own * kMicroBatches + i;
        const bool empty =
            samples[static_cast<std::size_t>(k / kMicroBatches)] == 0;
        sync->begin_micro_batch(i + 1 == own * kMicroBatches, empty);
        if (!empty) {
          a.add_(values_of(k, {37}));
          b.add_(values_of(k + 100, {2, 3}));
          mean.add_((values_of(k + 200, {5}) - mean) * 0.5);
          counter.add_(1);
        }
        sync->end_micro_batch();
      }
      EXPECT_TRUE(sync->finish());
      if (rank.rank() == ranks - 1) {
        result = {
            {a.clone(), b.clone(), mean.clone(), counter.clone()}, divisor};
      }
    }
  });
  return result;
}

// The same by the definition: one tree over all shards.
std::vector<at::Tensor> expected(const std::vector<std::int64_t>& samples) {
  std::vector<std::vector<at::Tensor>> shards;
  double filled = 0.0;
  for (std::int64_t s = 0; s < kShards; ++s) {
    at::Tensor a = at::zeros({37});
    at::Tensor b = at::zeros({2, 3});
    at::Tensor mean = at::full({5}, 0.3);
    const bool empty = samples[static_cast<std::size_t>(s)] == 0;
    for (std::int64_t k = s * kMicroBatches;
         k < (s + 1) * kMicroBatches && !empty;
         ++k) {
      a = a + values_of(k, {37});
      b = b + values_of(k + 100, {2, 3});
      mean = mean + (values_of(k + 200, {5}) - mean) * 0.5;
    }
    filled += empty ? 0.0 : 1.0;
    shards.push_back({a, b, empty ? at::zeros({5}) : mean});
  }
  for (; shards.size() > 1;) {
    std::vector<std::vector<at::Tensor>> sums;
    for (std::size_t i = 0; i < shards.size(); i += 2) {
      sums.emplace_back();
      for (std::size_t t = 0; t < 3; ++t) {
        sums.back().push_back(shards[i][t] + shards[i + 1][t]);
      }
    }
    shards = std::move(sums);
  }
  shards[0][2] = shards[0][2] / filled;
  shards[0].push_back(at::full({}, 7 + kMicroBatches, at::kLong));
  return shards[0];
}

TEST(ShardSum, AddsByOneTreeOnAnyNumberOfRanks) {
  for (const std::vector<std::int64_t>& samples :
       {std::vector<std::int64_t>{4, 4, 4, 4, 4, 4, 4, 4},
        {4, 4, 4, 4, 4, 3, 0, 0},
        {1, 0, 0, 0, 0, 0, 0, 0}}) {
    const std::vector<at::Tensor> tree = expected(samples);
    for (const int ranks : {1, 2, 4, 8}) {
      const Result result = step_on(ranks, samples);
      EXPECT_EQ(
          result.divisor,
          std::accumulate(samples.begin(), samples.end(), std::int64_t{0}));
      for (std::size_t i = 0; i < tree.size(); ++i) {
        EXPECT_TRUE(at::equal(result.tensors[i], tree[i]))
            << ranks << " ranks, tensor " << i;
      }
    }
  }
}

// The test above would pass for any order if the order did not matter.
TEST(ShardSum, ItsValuesAddToOtherBitsInOtherOrders) {
  at::Tensor in_order = at::zeros({37});
  for (std::int64_t k = 0; k < kShards * kMicroBatches; ++k) {
    in_order = in_order + values_of(k, {37});
  }
  EXPECT_FALSE(at::equal(in_order, expected({4, 4, 4, 4, 4, 4, 4, 4})[0]));
}

TEST(ShardSum, AStepWithoutSamplesKeepsStatistics) {
  const Result result = step_on(2, std::vector<std::int64_t>(kShards, 0));
  EXPECT_EQ(result.divisor, 1);
  EXPECT_TRUE(at::equal(result.tensors[2], at::full({5}, 0.3)));
  EXPECT_EQ(result.tensors[3].item<std::int64_t>(), 7);
}

TEST(ShardSum, RefusesShardsThatRanksCannotShare) {
  Group group;
  EXPECT_THROW(make_shard_sum(group, {{at::zeros({3})}}, 6, 1), vitrain::Error);
}

} // namespace
} // namespace vitrain::dist

#include "data/load/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "support/messages.h"
#include "unit/data/augment/draws.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using Indices = std::vector<std::int64_t>;

SamplerOptions options(LastBatch last_batch, std::uint64_t seed = 7) {
  SamplerOptions options;
  options.last_batch = last_batch;
  options.seed = seed;
  return options;
}

// All samples of a step, in order.
Indices indices_of(
    const Sampler& sampler,
    const BatchGeometry& geometry,
    std::int64_t epoch,
    std::int64_t step) {
  Indices all;
  for (std::int64_t k = 0; k < geometry.micro_batches(); ++k) {
    const Indices part = indices_of(sampler.micro_batch(epoch, step, k));
    EXPECT_LE(static_cast<std::int64_t>(part.size()), geometry.per_device);
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_EQ(
      static_cast<std::int64_t>(all.size()),
      sampler.samples_in_step(epoch, step));
  return all;
}

Indices epoch_of(
    const Sampler& sampler,
    const BatchGeometry& geometry,
    std::int64_t epoch) {
  Indices all;
  for (std::int64_t s = 0; s < sampler.steps_per_epoch(); ++s) {
    const Indices step = indices_of(sampler, geometry, epoch, s);
    all.insert(all.end(), step.begin(), step.end());
  }
  return all;
}

struct Case {
  std::int64_t samples;
  BatchGeometry geometry;
};

const std::vector<Case> kCases = {
    {1, {1, 1, 1}},
    {7, {2, 3, 1}},
    {97, {4, 3, 2}},
    {97, {5, 1, 3}},
    {120, {5, 4, 2}},
    {1000, {7, 8, 1}},
    {3, {4, 4, 4}},
};

TEST(Sampler, SplitsEveryIndexOnceAcrossWorkers) {
  for (const auto& [samples, geometry] : kCases) {
    const Sampler sampler(samples, options(LastBatch::kKeep), geometry);
    Indices all = epoch_of(sampler, geometry, 2);
    std::sort(all.begin(), all.end());
    Indices expected(static_cast<std::size_t>(samples));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected) << samples;
    EXPECT_EQ(sampler.counts(0).distinct, samples);
    EXPECT_EQ(sampler.counts(0).dropped, 0);
    EXPECT_EQ(sampler.counts(0).repeated, 0);
  }
}

TEST(Sampler, DropsWhatDoesNotFillAStep) {
  for (const auto& [samples, geometry] : kCases) {
    if (samples < geometry.global()) {
      continue;
    }
    const Sampler sampler(samples, options(LastBatch::kDrop), geometry);
    Indices all = epoch_of(sampler, geometry, 0);
    const auto counts = sampler.counts(0);
    EXPECT_EQ(sampler.steps_per_epoch(), samples / geometry.global());
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), counts.distinct);
    EXPECT_EQ(counts.distinct + counts.dropped, samples);
    EXPECT_LT(counts.dropped, geometry.global());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

TEST(Sampler, PadsFromTheStartOfTheEpoch) {
  for (const auto& [samples, geometry] : kCases) {
    const Sampler sampler(samples, options(LastBatch::kPad), geometry);
    const Indices all = epoch_of(sampler, geometry, 1);
    const auto n = static_cast<std::size_t>(samples);
    EXPECT_EQ(all.size() % static_cast<std::size_t>(geometry.global()), 0u);
    EXPECT_EQ(
        static_cast<std::int64_t>(all.size()),
        samples + sampler.counts(0).repeated);
    EXPECT_LT(sampler.counts(0).repeated, geometry.global());
    for (std::size_t i = n; i < all.size(); ++i) {
      EXPECT_EQ(all[i], all[i % n]);
    }
  }
}

// The samples of a step are the same on 1, 2, 4 and 8 workers of equal G.
TEST(Sampler, StepsDoNotDependOnTheNumberOfWorkers) {
  for (const auto last :
       {LastBatch::kDrop, LastBatch::kKeep, LastBatch::kPad}) {
    const BatchGeometry one{24, 1, 1};
    const Sampler reference(101, options(last), one);
    for (const BatchGeometry& geometry :
         {BatchGeometry{12, 2, 1},
          {6, 4, 1},
          {3, 8, 1},
          {4, 3, 2},
          {1, 1, 24}}) {
      const Sampler sampler(101, options(last), geometry);
      ASSERT_EQ(sampler.steps_per_epoch(), reference.steps_per_epoch());
      for (std::int64_t s = 0; s < sampler.steps_per_epoch(); ++s) {
        EXPECT_EQ(
            indices_of(sampler, geometry, 3, s),
            indices_of(reference, one, 3, s));
      }
    }
  }
}

TEST(Sampler, KeepLeavesShortAndEmptyMicroBatchesAtTheEnd) {
  const BatchGeometry geometry{4, 3, 1};
  const Sampler sampler(17, options(LastBatch::kKeep), geometry);
  ASSERT_EQ(sampler.steps_per_epoch(), 2);
  EXPECT_EQ(sampler.samples_in_step(0, 0), 12);
  EXPECT_EQ(sampler.samples_in_step(0, 1), 5);
  EXPECT_EQ(sampler.micro_batch(0, 1, 0).size(), 4u);
  EXPECT_EQ(sampler.micro_batch(0, 1, 1).size(), 1u);
  EXPECT_EQ(sampler.micro_batch(0, 1, 2).size(), 0u);
}

TEST(Sampler, ShufflesDifferentlyByEpochAndSeedOnly) {
  const BatchGeometry geometry{10, 1, 1};
  const Sampler sampler(1000, options(LastBatch::kKeep, 1), geometry);
  const Sampler same(1000, options(LastBatch::kKeep, 1), geometry);
  const Sampler other(1000, options(LastBatch::kKeep, 2), geometry);
  const Indices first = epoch_of(sampler, geometry, 0);
  EXPECT_EQ(first, epoch_of(same, geometry, 0));
  for (const Indices& different :
       {epoch_of(sampler, geometry, 1), epoch_of(other, geometry, 0)}) {
    int equal = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      equal += first[i] == different[i] ? 1 : 0;
    }
    EXPECT_LT(equal, 12); // one is expected of two random orders
  }
}

TEST(Sampler, SequentialAndUnshuffledKeepTheOrder) {
  const BatchGeometry geometry{3, 2, 1};
  SamplerOptions sequential = options(LastBatch::kKeep);
  sequential.policy = SamplerPolicy::kSequential;
  SamplerOptions unshuffled = options(LastBatch::kKeep);
  unshuffled.shuffle = false;
  Indices expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  for (const auto& chosen : {sequential, unshuffled}) {
    const Sampler sampler(20, chosen, geometry);
    EXPECT_EQ(epoch_of(sampler, geometry, 5), expected);
  }
}

TEST(Sampler, RefusesLessThanOneStep) {
  try {
    Sampler(7, options(LastBatch::kDrop), {4, 2, 1});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage); // the batch can be changed
    expect_message(error.what(), {"7", "8", "4", "2", "1"});
  }
  try {
    Sampler(7, options(LastBatch::kDrop), {8, 1, 1});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    expect_message(error.what(), {"1"});
  }
  expect_message(
      data_error([] {
        Sampler(0, options(LastBatch::kPad), {4, 2, 1});
      }),
      {});
  EXPECT_EQ(
      Sampler(7, options(LastBatch::kPad), {4, 2, 1}).steps_per_epoch(), 1);
}

// The message said that 1000 are fewer than 1000.
TEST(Sampler, SaysHowManySamplesAnEpochHas) {
  SamplerOptions repeated = options(LastBatch::kDrop);
  repeated.policy = SamplerPolicy::kRepeated;
  EXPECT_EQ(Sampler(1000, repeated, {4, 2, 1}).epoch_samples(), 768);
  try {
    Sampler(1000, repeated, {1000, 1, 1});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    expect_message(error.what(), {"768", "1,000", "data.sampler"});
  }
  EXPECT_EQ(
      Sampler(7, options(LastBatch::kKeep), {4, 2, 1}).epoch_samples(), 7);
}

TEST(EvalSharding, GivesEverySampleToOneRankInOrder) {
  for (const std::int64_t samples : {1, 5, 64, 97, 1000}) {
    for (const std::int64_t batch : {1, 7, 64}) {
      for (const int world : {1, 2, 3, 8}) {
        const EvalSharding sharding(samples, batch, world);
        std::map<std::int64_t, Indices> by_batch;
        std::int64_t batches = 0;
        for (int rank = 0; rank < world; ++rank) {
          batches += sharding.batches_of(rank);
          for (std::int64_t i = 0; i < sharding.batches_of(rank); ++i) {
            by_batch[i * world + rank] = sharding.samples_of(rank, i);
          }
        }
        EXPECT_EQ(batches, sharding.batches());
        Indices all;
        for (const auto& [j, indices] : by_batch) {
          const bool last = j == sharding.batches() - 1;
          EXPECT_EQ(
              static_cast<std::int64_t>(indices.size()),
              last ? samples - j * batch : batch);
          all.insert(all.end(), indices.begin(), indices.end());
        }
        Indices expected(static_cast<std::size_t>(samples));
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected);
      }
    }
  }
}

} // namespace
} // namespace vitrain::data

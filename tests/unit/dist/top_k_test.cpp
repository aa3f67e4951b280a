#include <cmath>
#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bucket_trial.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

// Returns the seed of a rank's gradients in a step.
std::uint64_t seed_of(std::int64_t step, int rank) {
  return static_cast<std::uint64_t>(10 * step + rank);
}

void expect_equal_on_all_ranks(Rank& rank, const at::Tensor& tensor) {
  for (const at::Tensor& other :
       rank.control().all_gather(tensor.contiguous())) {
    EXPECT_TRUE(at::equal(other, tensor));
  }
}

TEST(TopK, EqualsTheFormulasOfThePaper) {
  std::ifstream stream(VITRAIN_SOURCE_DIR "/tests/golden/dist/top_k.json");
  const auto golden = nlohmann::json::parse(stream);
  const Shapes shapes = golden.at("shapes");
  const auto values = [&](const nlohmann::json& list, at::IntArrayRef shape) {
    return at::tensor(list.get<std::vector<float>>()).view(shape);
  };
  for (const auto& expected : golden.at("cases")) {
    run_ranks(2, [&](Rank& rank) {
      Trial trial(
          shapes,
          TopKOptions{
              .share = golden.at("share"),
              .start = golden.at("start"),
              .warmup = golden.at("warmup"),
              .momentum = expected.at("momentum"),
              .nesterov = expected.at("nesterov"),
              .momentum_masking = expected.at("masking")});
      const auto& steps = golden.at("given");
      for (std::size_t step = 0; step < steps.size(); ++step) {
        const auto& given = steps[step][static_cast<std::size_t>(rank.rank())];
        for (BucketPart& part : trial.parts) {
          part.gradient.copy_(
              values(given.at(part.name), part.gradient.sizes()));
        }
        trial.reduce(rank.data(), static_cast<std::int64_t>(step));
        for (const BucketPart& part : trial.parts) {
          const at::Tensor theirs = values(
              expected.at("applied")[step].at(part.name),
              part.gradient.sizes());
          // fp32 compared with double: sums of up to 20 values of order 1 to
          // 10.
          EXPECT_TRUE(
              at::allclose(part.gradient, theirs, /*rtol=*/1e-5, /*atol=*/2e-5))
              << part.name << " in step " << step;
        }
      }
    });
  }
}

// Integers: sums are exact in whatever order they are made.
TEST(TopK, WhatIsAppliedAndWhatIsKeptIsExactlyWhatWasGiven) {
  run_ranks(3, [](Rank& rank) {
    Trial trial(
        {{"w", {12, 10}}, {"b", {10}}},
        TopKOptions{.share = 0.03, .start = 1, .warmup = 4});
    const at::Tensor residual =
        trial.exchange->state().at("sync.topk.residual.w");
    at::Tensor given = at::zeros({12, 10});
    at::Tensor applied = at::zeros({12, 10});
    for (int step = 0; step < 12; ++step) {
      for (int other = 0; other < 3; ++other) {
        const at::Tensor part =
            random({12, 10}, seed_of(step, other)).mul_(8).round_();
        given += part;
        if (other == rank.rank()) {
          trial.gradient("w").copy_(part);
        }
      }
      trial.gradient("b").fill_(step);
      trial.reduce(rank.data(), step);
      applied += trial.gradient("w");
      EXPECT_TRUE(at::equal(trial.gradient("b"), at::full({10}, 3.0 * step)));
      EXPECT_EQ(at::equal(applied, given), step < 2) << "step " << step;
      at::Tensor left = residual.clone();
      rank.control().all_reduce(left);
      EXPECT_TRUE(at::equal(applied + left, given)) << "step " << step;
      expect_equal_on_all_ranks(rank, trial.gradient("w"));
    }
  });
}

// Half of the weights are held at zero from the third step on, and theirs would
// be the largest gradients.
TEST(TopK, SendsNothingOfWhatIsPruned) {
  run_ranks(2, [](Rank& rank) {
    for (const double momentum : {0.0, 0.9}) {
      const Shapes shapes{{"w", {10, 10}}};
      Trial trial(shapes);
      const at::Tensor pruned = at::zeros({10, 10}, at::kBool);
      trial.parts[0].pruned = pruned;
      trial.exchange = make_top_k(
          trial.gradients,
          trial.parts,
          TopKOptions{.share = 0.1, .momentum = momentum});
      for (int step = 0; step < 6; ++step) {
        if (step == 2) {
          pruned.narrow(0, 0, 5).fill_(true);
        }
        trial.gradient("w").copy_(random({10, 10}, seed_of(step, rank.rank())));
        trial.gradient("w").narrow(0, 0, 5).mul_(100);
        trial.reduce(rank.data(), step);
        const at::Tensor sent = trial.gradient("w").ne(0);
        const auto held = sent.narrow(0, 0, 5).sum().item<std::int64_t>();
        const auto free = sent.narrow(0, 5, 5).sum().item<std::int64_t>();
        // Ten of each rank, of which some may be the other's, too.
        EXPECT_EQ(held > 0, step < 2) << "step " << step;
        EXPECT_EQ(free >= 10, step >= 2) << "step " << step;
      }
      for (const auto& [name, kept] : trial.exchange->state()) {
        EXPECT_TRUE(kept.narrow(0, 0, 5).eq(0).all().item<bool>()) << name;
      }
    }
  });
}

// With values that round, in what order they are added matters.
TEST(TopK, SumsHaveEqualBitsOnAllRanks) {
  run_ranks(4, [](Rank& rank) {
    Trial trial({{"w", {40, 30}}}, TopKOptions{.share = 0.3, .momentum = 0.9});
    for (int step = 0; step < 4; ++step) {
      trial.gradient("w").copy_(random({40, 30}, seed_of(step, rank.rank())));
      trial.reduce(rank.data(), step);
      expect_equal_on_all_ranks(rank, trial.gradient("w"));
    }
  });
}

TEST(TopK, StateIsEqualAfterAFlushAndContinuesTheRun) {
  run_ranks(2, [](Rank& rank) {
    const Shapes shapes{{"w", {12, 10}}, {"b", {5}}};
    const TopKOptions options{.share = 0.05, .momentum = 0.9};
    Trial whole(shapes, options);
    Trial resumed(shapes, options);
    const auto step = [&](Trial& trial, std::int64_t number) {
      for (BucketPart& part : trial.parts) {
        part.gradient.copy_(
            random(part.gradient.sizes().vec(), seed_of(number, rank.rank())));
      }
      trial.reduce(rank.data(), number);
    };
    step(whole, 0);
    step(whole, 1);
    whole.exchange->flush(rank.data());
    const auto saved = whole.exchange->state();
    EXPECT_EQ(saved.size(), 3u); // nothing of `b` is left out
    for (auto& [name, tensor] : resumed.exchange->state()) {
      expect_equal_on_all_ranks(rank, saved.at(name));
      EXPECT_GT(tensor.copy_(saved.at(name)).abs().max().item<float>(), 0.0F);
    }
    step(whole, 2);
    step(resumed, 2);
    EXPECT_TRUE(at::equal(whole.gradient("w"), resumed.gradient("w")));
    EXPECT_TRUE(at::equal(whole.gradient("b"), resumed.gradient("b")));
  });
}

TEST(TopK, SendsValuesAndIndicesAndWhatHasOneDimension) {
  run_ranks(2, [](Rank& rank) {
    const Shapes shapes{
        {"large", {64, 32, 1, 1}}, {"small", {2, 1}}, {"bias", {64}}};
    Trial trial(shapes, TopKOptions{.share = 0.01, .start = 1});
    trial.reduce(rank.data(), 0);
    EXPECT_EQ(trial.exchange->bytes(), 4 * trial.gradients.numel());
    EXPECT_EQ(rank.collectives(), 1);
    trial.reduce(rank.data(), 1);
    EXPECT_EQ(rank.collectives(), 3);
    EXPECT_EQ(trial.exchange->bytes(), 21 * 8 + 4 * (2 + 64));
    ASSERT_TRUE(trial.exchange->interval().has_value());
    EXPECT_GT(
        trial.exchange->interval()->end, trial.exchange->interval()->begin);
  });
}

// One that is trained in channels_last lies in memory in another order.
TEST(TopK, LeavesOutTheSmallestWhateverTheStridesAre) {
  run_ranks(2, [](Rank& rank) {
    const std::vector<std::int64_t> shape{2, 3, 2, 2};
    const at::Tensor bucket = at::zeros({24});
    const at::Tensor gradient = bucket.as_strided(shape, {12, 1, 6, 3});
    const auto exchange =
        make_top_k(bucket, {{"w", gradient}}, TopKOptions{.share = 0.25});
    const at::Tensor given =
        at::arange(1, 25, at::kFloat).view(shape).mul(rank.rank() + 1);
    gradient.copy_(given);
    exchange->begin(0);
    exchange->launch(rank.data());
    exchange->advance(rank.data());
    exchange->complete(rank.data());
    EXPECT_TRUE(at::equal(
        gradient,
        given.gt(18 * (rank.rank() + 1)) * 3 *
            at::arange(1, 25, at::kFloat).view(shape)));
    const at::Tensor residual = exchange->state().at("sync.topk.residual.w");
    EXPECT_TRUE(at::equal(residual, given * given.le(18 * (rank.rank() + 1))));
  });
}

// The optimizer applies no momentum in this mode, so the exchange must.
TEST(TopK, ARankThatIsAloneSendsNothingAndMakesTheMomentum) {
  Group alone;
  Trial trial({{"w", {12, 10}}}, TopKOptions{.share = 0.01, .momentum = 0.5});
  const at::Tensor first = random({12, 10}, 3);
  const at::Tensor second = random({12, 10}, 4);
  trial.gradient("w").copy_(first);
  trial.reduce(alone, 0);
  EXPECT_TRUE(at::equal(trial.gradient("w"), first));
  trial.gradient("w").copy_(second);
  trial.reduce(alone, 1);
  EXPECT_TRUE(at::equal(trial.gradient("w"), first * 0.5 + second));
  EXPECT_EQ(trial.exchange->bytes(), 0);
}

TEST(TopK, WarmsUpAsThePaperDoes) {
  const TopKOptions options{.share = 0.0009765625, .start = 2, .warmup = 8};
  // 4^-5: 25 %, 6.25 %, 1.5625 %, 0.39 %, then the share.
  const std::vector<double> expected{
      1, 1, 0.25, 0.25, 0.0625, 0.0625, 0.015625, 0.015625};
  for (std::size_t step = 0; step < expected.size(); ++step) {
    EXPECT_NEAR(
        top_k_share(options, static_cast<std::int64_t>(step)),
        expected[step],
        1e-12) // of pow()
        << step;
  }
  EXPECT_NEAR(top_k_share(options, 9), 0.00390625, 1e-12);
  EXPECT_EQ(top_k_share(options, 10), options.share);
  EXPECT_EQ(top_k_share({.share = 0.1}, 0), 0.1);
}

} // namespace
} // namespace vitrain::dist

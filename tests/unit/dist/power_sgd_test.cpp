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

TEST(PowerSgd, EqualsTorchsHook) {
  std::ifstream stream(VITRAIN_SOURCE_DIR "/tests/golden/dist/power_sgd.json");
  const auto golden = nlohmann::json::parse(stream);
  const Shapes shapes = golden.at("shapes");
  const auto values = [&](const nlohmann::json& list, at::IntArrayRef shape) {
    return at::tensor(list.get<std::vector<float>>()).view(shape);
  };
  for (const auto& expected : golden.at("cases")) {
    run_ranks(2, [&](Rank& rank) {
      Trial trial(
          shapes,
          PowerSgdOptions{
              .rank = expected.at("rank"),
              .start = expected.at("start"),
              .min_compression = 1.0});
      auto state = trial.exchange->state();
      EXPECT_EQ(state.size(), 2 * expected.at("right").size());
      for (const auto& [name, right] : expected.at("right").items()) {
        at::Tensor& own = state.at("sync.powersgd.right." + name);
        own.copy_(values(right, own.sizes()));
      }
      const auto& steps = golden.at("given");
      for (std::size_t step = 0; step < steps.size(); ++step) {
        const auto& given = steps[step][static_cast<std::size_t>(rank.rank())];
        for (BucketPart& part : trial.parts) {
          // Ours are shares of the sum, torch's are averaged.
          part.gradient.copy_(
              values(given.at(part.name), part.gradient.sizes()) / 2);
        }
        trial.reduce(rank.data(), static_cast<std::int64_t>(step));
        for (const BucketPart& part : trial.parts) {
          const at::Tensor theirs = values(
              expected.at("reduced")[step].at(part.name),
              part.gradient.sizes());
          // Both round some dozen fp32 operations on values of order 1, and
          // the factors of one step are the start of the next.
          EXPECT_TRUE(
              at::allclose(part.gradient, theirs, /*rtol=*/1e-4, /*atol=*/2e-5))
              << part.name << " in step " << step;
        }
      }
    });
  }
}

TEST(PowerSgd, OfFullRankIsExact) {
  run_ranks(3, [](Rank& rank) {
    // A matrix of rank 2 needs no more than 2.
    Trial trial(
        {{"w", {24, 20}}}, PowerSgdOptions{.rank = 2, .warm_start = false});
    at::Tensor sum = at::zeros({24, 20});
    for (int other = 0; other < 3; ++other) {
      // Common columns, so that the sum has rank 2 as well.
      const at::Tensor part =
          at::mm(random({24, 2}, 1), random({2, 20}, 10 + other));
      sum += part;
      if (other == rank.rank()) {
        trial.gradient("w").copy_(part);
      }
    }
    trial.reduce(rank.data(), 0);
    EXPECT_TRUE(at::allclose(trial.gradient("w"), sum, 1e-4, 1e-4));
  });
}

// The applied gradient plus the kept error equals the input: nothing is lost.
TEST(PowerSgd, KeepsWhatItLeavesOut) {
  run_ranks(2, [](Rank& rank) {
    Trial trial(
        {{"w", {12, 10}}, {"b", {10}}}, PowerSgdOptions{.rank = 1, .start = 1});
    const at::Tensor error =
        trial.exchange->state().at("sync.powersgd.error.w");
    at::Tensor given = at::zeros({12, 10});
    at::Tensor applied = at::zeros({12, 10});
    for (int step = 0; step < 5; ++step) {
      for (int other = 0; other < 2; ++other) {
        const at::Tensor part =
            random({12, 10}, static_cast<std::uint64_t>(10 * step + other));
        given += part;
        if (other == rank.rank()) {
          trial.gradient("w").copy_(part);
        }
      }
      trial.gradient("b").fill_(step);
      trial.reduce(rank.data(), step);
      applied += trial.gradient("w");
      EXPECT_TRUE(at::equal(trial.gradient("b"), at::full({10}, 2.0 * step)));
      if (step == 0) {
        EXPECT_TRUE(at::equal(applied, given)) << "before the start";
      } else {
        EXPECT_FALSE(at::allclose(applied, given, 0.1)) << "nothing left out";
      }
      if (step == 3) {
        trial.exchange->flush(rank.data());
      }
      at::Tensor left = error.clone();
      rank.control().all_reduce(left);
      EXPECT_TRUE(at::allclose(applied + left / 2, given, 1e-4, 1e-4))
          << "step " << step;
      for (const at::Tensor& other :
           rank.control().all_gather(trial.gradient("w").contiguous())) {
        EXPECT_TRUE(at::equal(other, trial.gradient("w")));
      }
    }
  });
}

TEST(PowerSgd, StateIsEqualAfterAFlushAndContinuesTheRun) {
  run_ranks(2, [](Rank& rank) {
    const Shapes shapes{{"w", {12, 10}}};
    Trial whole(shapes, PowerSgdOptions{.rank = 2});
    Trial resumed(shapes, PowerSgdOptions{.rank = 2});
    const auto step = [&](Trial& trial, std::int64_t number) {
      trial.gradient("w").copy_(random(
          {12, 10}, static_cast<std::uint64_t>(2 * number + rank.rank())));
      trial.reduce(rank.data(), number);
    };
    step(whole, 0);
    step(whole, 1);
    whole.exchange->flush(rank.data());
    auto saved = whole.exchange->state();
    for (auto& [name, tensor] : resumed.exchange->state()) {
      for (const at::Tensor& other :
           rank.control().all_gather(saved.at(name).contiguous())) {
        EXPECT_TRUE(at::equal(other, saved.at(name))) << name;
      }
      tensor.copy_(saved.at(name));
    }
    step(whole, 2);
    step(resumed, 2);
    EXPECT_TRUE(at::equal(whole.gradient("w"), resumed.gradient("w")));
  });
}

TEST(PowerSgd, SendsTheFactorsAndWhatIsTooSmall) {
  run_ranks(2, [](Rank& rank) {
    const Shapes shapes{
        {"large", {64, 32, 1, 1}}, {"small", {4, 4}}, {"bias", {64}}};
    Trial trial(shapes, PowerSgdOptions{.rank = 2, .start = 1});
    trial.reduce(rank.data(), 0);
    EXPECT_EQ(trial.exchange->bytes(), 4 * trial.gradients.numel());
    EXPECT_EQ(rank.collectives(), 1);
    trial.reduce(rank.data(), 1);
    EXPECT_EQ(rank.collectives(), 4);
    EXPECT_EQ(trial.exchange->bytes(), 4 * (64 * 2 + 32 * 2 + 4 * 4 + 64));
    ASSERT_TRUE(trial.exchange->interval().has_value());
    EXPECT_GT(
        trial.exchange->interval()->end, trial.exchange->interval()->begin);
  });
}

TEST(PowerSgd, AGradientOfZerosStaysOne) {
  run_ranks(2, [](Rank& rank) {
    Trial trial({{"w", {12, 10}}}, PowerSgdOptions{.rank = 2});
    trial.reduce(rank.data(), 0);
    EXPECT_TRUE(at::equal(trial.gradient("w"), at::zeros({12, 10})));
    trial.reduce(rank.data(), 1);
    EXPECT_TRUE(at::equal(trial.gradient("w"), at::zeros({12, 10})));
  });
}

TEST(PowerSgd, ARankThatIsAloneChangesNothing) {
  Group alone;
  Trial trial({{"w", {12, 10}}}, PowerSgdOptions{.rank = 1});
  const at::Tensor given = random({12, 10}, 3);
  trial.gradient("w").copy_(given);
  trial.reduce(alone, 0);
  EXPECT_TRUE(at::equal(trial.gradient("w"), given));
  EXPECT_EQ(trial.exchange->bytes(), 0);
}

TEST(CoveredSeconds, CountsOverlapsOnce) {
  EXPECT_DOUBLE_EQ(covered_seconds({}), 0.0);
  EXPECT_DOUBLE_EQ(covered_seconds({{1, 3}, {2, 4}, {6, 7}}), 4.0);
  EXPECT_DOUBLE_EQ(covered_seconds({{6, 7}, {1, 9}, {2, 3}}), 8.0);
}

} // namespace
} // namespace vitrain::dist

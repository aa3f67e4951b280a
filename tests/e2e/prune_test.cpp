// train.prune, in whole runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

struct Zeros {
  std::int64_t values = 0;
  std::int64_t zeros = 0;
};

// Counts zeros in the tensors of a .safetensors file that train.prune covers:
// "*weight", with two or more dimensions.
Zeros zeros_of(const std::filesystem::path& file) {
  Zeros found;
  for (const auto& [name, tensor] : read_tensors(file)) {
    if (!name.ends_with("weight") || tensor.shape.size() < 2) {
      continue;
    }
    for (const float value : tensor.floats()) {
      ++found.values;
      found.zeros += value == 0.0F ? 1 : 0;
    }
  }
  return found;
}

const Options kPruned{
    .devices = "cpu:2",
    .set = {
        "run.max_steps=16",
        "checkpoint.every=8st",
        "checkpoint.keep_last=9",
        "dist.check_every=1st",
        "train.ema.decay=0.9",
        "train.prune.amount=0.6",
        "train.prune.start=4st",
        "train.prune.end=12st",
        "train.prune.every=3st"}};

// After steps 7, 10 and 12; four updates with weight decay and momentum later
// the weights and their average have the zeros still, on both workers.
TEST(Prune, WeightsBecomeZeroAndStaySoAlsoAfterAResume) {
  const TempFolder folder;
  const Result result = run(tiny_run(folder / "runs", kPruned), 120);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto whole = newest_run(folder / "runs");
  for (const char* file : {"model.safetensors", "ema.safetensors"}) {
    const Zeros half = zeros_of(checkpoint(whole, 8) / file);
    const Zeros all = zeros_of(checkpoint(whole, 16) / file);
    // 0.6 x (1 - (5 / 8)^3), and 0.6; nothing else is zero after an update.
    EXPECT_NEAR(
        static_cast<double>(half.zeros),
        0.45351562 * static_cast<double>(half.values),
        0.51)
        << file;
    EXPECT_NEAR(
        static_cast<double>(all.zeros),
        0.6 * static_cast<double>(all.values),
        0.51)
        << file;
  }
  const auto trained = records(whole, "train");
  EXPECT_EQ(trained.at(5).at("sparsity"), 0.0);
  EXPECT_NEAR(trained.at(7).at("sparsity"), 0.4535, 1e-4);
  EXPECT_NEAR(trained.at(15).at("sparsity"), 0.6, 1e-4);
  EXPECT_THAT(result.out, HasSubstr("60.00 % of 31,040 weights are zero"));

  const auto part = resume_copy(whole, folder / "part", kPruned, 8);
  expect_same_checkpoint(whole, part, 16);
}

TEST(Prune, WithZero1ItIsTheSame) {
  const TempFolder folder;
  const auto plain = train(folder / "plain", kPruned);
  const auto zero1 =
      train(folder / "zero1", kPruned.with({.set = {"dist.zero1=true"}}));
  expect_same_checkpoint(plain, zero1, 16);
}

// Rows of a layer, with every optimizer that has state of its own kind.
TEST(Prune, RowsStayZeroWithMomentumLookaheadAndSharpness) {
  for (const Words& optimizer :
       {Words{"optim.name=sgd", "optim.lookahead.every=2"},
        Words{"optim.name=lamb", "optim.sam=0.05"},
        Words{"optim.name=muon"}}) {
    const TempFolder folder;
    const auto run_folder = train(
        folder / "runs",
        kPruned.with({.set = optimizer})
            .with(
                {.devices = "cpu:1",
                 .set = {
                     "train.prune.unit=row",
                     "train.prune.scope=layer",
                     "train.prune.match=[blocks]"}}));
    const double told =
        records(run_folder, "train").back().at("sparsity").get<double>();
    EXPECT_NEAR(told, 0.6, 0.02) << optimizer.front(); // of whole rows
    const Zeros found =
        zeros_of(checkpoint(run_folder, 16) / "model.safetensors");
    // Only weights of the two blocks.
    EXPECT_NEAR(static_cast<double>(found.zeros), told * 2 * 12288, 1.0);
  }
}

} // namespace
} // namespace vitrain::e2e

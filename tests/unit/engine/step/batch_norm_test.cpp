// dist.batchnorm: what BatchNorm's statistics are statistics of.

#include "engine/step/batch_norm.h"
#include "config/sections/dist.h"

#include <cmath>
#include <fstream>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/step/gradient_exchange.h"
#include "engine/step/train_step.h"
#include "networks/layers/layers.h"
#include "optim/rules/optimizers.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

using config::BatchNormStatistics;
using testing::Rank;
using testing::run_ranks;

constexpr double kLr = 0.1;

// BatchNorm of the pixels, then the mean of each channel as logits.
class Net : public networks::Model {
 public:
  Net() {
    norm = register_module("norm", std::make_shared<networks::BatchNorm2d>(3));
  }
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor&,
      const at::Generator&) override {
    return at::relu((*norm)(images)).mean({2, 3});
  }

  std::shared_ptr<networks::BatchNorm2d> norm;
};

// Returns the images of the global batch, which differ in mean and deviation.
at::Tensor images() {
  const at::Tensor grid = at::linspace(0, 9, 8 * 3 * 4 * 4).view({8, 3, 4, 4});
  const at::Tensor scale = at::linspace(0.5, 4, 8).view({8, 1, 1, 1});
  return (grid * 5).sin() * scale + scale;
}

MicroBatch batch_of(std::int64_t first, std::int64_t rows) {
  return {
      .inputs = images().narrow(0, first, rows),
      .targets = at::arange(8).remainder(3).narrow(0, first, rows),
      .drop = {},
      .dropout = {}};
}

// A worker after one step.
struct Worker {
  Worker(dist::Group& group, BatchNormStatistics statistics)
      : batch_norm(net, group, statistics),
        parameters(net, 0.0, {}),
        optimizer(optim::make_optimizer(
            parameters,
            config::OptimConfig{
                .name = config::OptimKind::kSgd,
                .weight_decay = 0.0,
                .momentum = 0.0})),
        sync(dist::make_bucketed_all_reduce(
            group,
            gradient_buffers(parameters),
            {})),
        step(
            net,
            parameters,
            *optimizer,
            *sync,
            {.collective_forward = batch_norm.forward_is_collective()}) {}

  void train(
      const std::vector<std::int64_t>& samples,
      std::int64_t first,
      std::int64_t rows) {
    net.train();
    batch_norm.before_step();
    step.begin({.step = 0, .samples = samples});
    step.micro_batch(batch_of(first, rows), /*last=*/true);
    step.finish(kLr);
  }

  Net net;
  BatchNormExchange batch_norm;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  std::unique_ptr<dist::GradientSync> sync;
  TrainStep step;
};

// Running mean of rank 0 before and after sync_statistics(), and weights.
struct Outcome {
  std::vector<at::Tensor> own; // of each rank, after the step
  std::vector<at::Tensor> together; // of each rank, as evaluations see it
  at::Tensor weight;
};

Outcome train_two(
    BatchNormStatistics statistics,
    const std::vector<std::int64_t>& samples,
    int steps = 1) {
  Outcome outcome;
  run_ranks(2, [&](Rank& rank) {
    Worker worker(rank.data(), statistics);
    for (int step = 0; step < steps; ++step) {
      worker.train(
          samples,
          rank.rank() * samples[0],
          samples[static_cast<std::size_t>(rank.rank())]);
    }
    const at::Tensor& running = worker.net.norm->running_mean;
    auto own = rank.control().all_gather(running);
    worker.batch_norm.sync_statistics(/*epoch_ends=*/true);
    auto together = rank.control().all_gather(running);
    if (rank.rank() == 0) {
      outcome = {
          std::move(own),
          std::move(together),
          worker.net.norm->weight.detach().clone()};
    }
  });
  return outcome;
}

// fp32 sums of at most 128 values of order 10, in another order.
bool close(const at::Tensor& one, const at::Tensor& other) {
  return at::allclose(one, other, /*rtol=*/1e-5, /*atol=*/1e-5);
}

Outcome train_one(std::int64_t samples) {
  dist::Group alone;
  Worker worker(alone, BatchNormStatistics::kLocal);
  worker.train({samples}, 0, samples);
  return {
      {},
      {worker.net.norm->running_mean},
      worker.net.norm->weight.detach().clone()};
}

TEST(BatchNormStatistics, LocalOnesAreAveragedForEvaluation) {
  const Outcome local = train_two(BatchNormStatistics::kLocal, {4, 4});
  EXPECT_FALSE(close(local.own[0], local.own[1]));
  EXPECT_TRUE(close(local.together[0], (local.own[0] + local.own[1]) / 2));
  EXPECT_TRUE(at::equal(local.together[0], local.together[1]));
  // Normalising each half by itself gives other gradients than normalising the
  // whole.
  EXPECT_FALSE(close(local.weight, train_one(8).weight));
}

TEST(BatchNormStatistics, BroadcastOnesAreThoseOfRankZero) {
  const Outcome local = train_two(BatchNormStatistics::kLocal, {4, 4});
  const Outcome broadcast = train_two(BatchNormStatistics::kBroadcast, {4, 4});
  EXPECT_TRUE(at::equal(broadcast.own[0], local.own[0]));
  EXPECT_TRUE(at::equal(broadcast.together[0], local.own[0]));
  EXPECT_TRUE(at::equal(broadcast.together[1], local.own[0]));
  EXPECT_FALSE(close(broadcast.together[0], local.together[0]));
  // Each step begins with them: rank 1 moves on from rank 0's, not its own.
  const Outcome two = train_two(BatchNormStatistics::kBroadcast, {4, 4}, 2);
  const Outcome apart = train_two(BatchNormStatistics::kLocal, {4, 4}, 2);
  EXPECT_TRUE(close(two.own[0], apart.own[0]));
  EXPECT_FALSE(close(two.own[1], apart.own[1]));
  // Training itself uses local statistics.
  EXPECT_TRUE(at::equal(broadcast.weight, local.weight));
}

// Compares with torch's DistributedDataParallel and timm's distribute_bn
// (tests/golden/dist/make_batch_norm.py) after each step and each epoch.
TEST(BatchNormStatistics, AreThoseOfTorchAndTimmOnTwoRanks) {
  const auto file = nlohmann::json::parse(
      std::ifstream(VITRAIN_SOURCE_DIR "/tests/golden/dist/batch_norm.json"));
  const std::int64_t steps = file.at("steps_per_epoch");
  const std::int64_t all = steps * file.at("epochs").get<std::int64_t>();
  ASSERT_EQ(file.at("modes").size(), 3u);
  for (const auto& [name, expected] : file.at("modes").items()) {
    SCOPED_TRACE(name);
    run_ranks(2, [&](Rank& rank) {
      Net net;
      BatchNormExchange exchange(
          net, rank.data(), *value_of<BatchNormStatistics>(name));
      EXPECT_EQ(exchange.needs_epoch_ends(), name == "broadcast_average");
      auto row = expected.begin();
      const auto expect_row = [&] {
        const std::vector<double> values = (*row++)[rank.rank()];
        EXPECT_TRUE(close(
            at::cat({net.norm->running_mean, net.norm->running_var}),
            at::tensor(values).to(at::kFloat)))
            << row - expected.begin();
      };
      net.train();
      for (std::int64_t step = 0; step < all; ++step) {
        exchange.before_step();
        const double scale = 1.0 + static_cast<double>(step) / 2.0;
        net.forward((images() * scale).narrow(0, rank.rank() * 4, 4), {}, {});
        expect_row();
        if ((step + 1) % steps == 0) {
          exchange.sync_statistics(/*epoch_ends=*/true);
          expect_row();
        }
      }
      EXPECT_EQ(row, expected.end());
    });
  }
}

// A checkpoint or an evaluation within an epoch does not change later steps.
TEST(BatchNormStatistics, WithinAnEpochThoseOfRankZeroAreSaved) {
  run_ranks(2, [&](Rank& rank) {
    Net net;
    BatchNormExchange exchange(
        net, rank.data(), BatchNormStatistics::kBroadcastAverage);
    net.train();
    net.forward(images().narrow(0, rank.rank() * 4, 4), {}, {});
    const auto own = rank.control().all_gather(net.norm->running_mean);
    exchange.sync_statistics(/*epoch_ends=*/false);
    EXPECT_TRUE(at::equal(net.norm->running_mean, own[0]));
    EXPECT_FALSE(at::equal(own[0], own[1]));
  });
}

// The mean of three equal numbers can differ from the number in its last bit.
TEST(BatchNormStatistics, FrozenLayersKeepTheirBits) {
  for (const auto statistics :
       {BatchNormStatistics::kLocal,
        BatchNormStatistics::kBroadcast,
        BatchNormStatistics::kBroadcastAverage,
        BatchNormStatistics::kSync}) {
    run_ranks(3, [&](Rank& rank) {
      Net net;
      const at::Tensor mean = at::linspace(0.1, 0.7, 3);
      net.norm->running_mean.copy_(mean);
      net.norm->freeze();
      BatchNormExchange exchange(net, rank.data(), statistics);
      EXPECT_EQ(exchange.layers(), 0);
      EXPECT_FALSE(exchange.forward_is_collective());
      EXPECT_FALSE(exchange.needs_epoch_ends());
      net.train();
      exchange.before_step();
      net.forward(images().narrow(0, rank.rank() * 2, 2), {}, {});
      exchange.sync_statistics(/*epoch_ends=*/true);
      dist::NamedTensors averages{{"norm.running_mean", mean.clone()}};
      exchange.sync_statistics(averages, /*epoch_ends=*/true);
      EXPECT_TRUE(at::equal(net.norm->running_mean, mean));
      EXPECT_TRUE(at::equal(net.norm->running_var, at::ones({3})));
      EXPECT_EQ(net.norm->num_batches_tracked.item<std::int64_t>(), 0);
      EXPECT_TRUE(at::equal(averages.at("norm.running_mean"), mean));
    });
  }
}

TEST(BatchNormStatistics, SynchronisedOnesAreThoseOfTheWholeBatch) {
  for (const std::vector<std::int64_t>& samples :
       {std::vector<std::int64_t>{4, 4}, {6, 2}, {8, 0}}) {
    const Outcome sync = train_two(BatchNormStatistics::kSync, samples);
    const Outcome whole = train_one(8);
    EXPECT_TRUE(at::equal(sync.own[0], sync.own[1]));
    EXPECT_TRUE(at::equal(sync.together[0], sync.own[0]));
    EXPECT_TRUE(close(sync.own[0], whole.together[0]));
    EXPECT_TRUE(close(sync.weight, whole.weight));
  }
}

// comm_bytes and comm_seconds of a step have them, too.
TEST(BatchNormStatistics, WhatTravelsForThemIsCounted) {
  const auto traffic_of = [](BatchNormStatistics statistics) {
    dist::Traffic traffic;
    run_ranks(2, [&](Rank& rank) {
      Worker worker(rank.data(), statistics);
      worker.train({4, 4}, rank.rank() * 4, 4);
      const dist::Traffic own = worker.batch_norm.take_traffic();
      EXPECT_EQ(worker.batch_norm.take_traffic().bytes, 0);
      if (rank.rank() == 0) {
        traffic = own;
      }
    });
    return traffic;
  };
  EXPECT_EQ(traffic_of(BatchNormStatistics::kLocal).bytes, 0);
  // Running mean and variance of 3 channels.
  const dist::Traffic broadcast = traffic_of(BatchNormStatistics::kBroadcast);
  EXPECT_EQ(broadcast.bytes, 2 * 3 * 4);
  EXPECT_GT(broadcast.exposed_seconds, 0.0);
  // Forward: mean, variance and count in fp64; backward: two sums in fp32.
  const dist::Traffic sync = traffic_of(BatchNormStatistics::kSync);
  EXPECT_EQ(sync.bytes, (2 * 3 + 1) * 8 + 2 * 3 * 4);
  EXPECT_GT(sync.exposed_seconds, 0.0);
  EXPECT_EQ(sync.busy_seconds, sync.exposed_seconds);
}

// The last, short batch of an epoch over features of one pixel.
TEST(BatchNormStatistics, OneValueLeavesTheRunningOnesAlone) {
  for (const auto statistics :
       {BatchNormStatistics::kLocal, BatchNormStatistics::kSync}) {
    dist::Group alone;
    Net net;
    BatchNormExchange exchange(net, alone, statistics);
    net.train();
    const at::Tensor y = (*net.norm)(at::full({1, 3, 1, 1}, 7.0));
    // 7 / sqrt(eps) - 7 / sqrt(eps), each rounded to fp32.
    EXPECT_LE(y.abs().max().item<double>(), 7 / std::sqrt(1e-5) * 0x1p-23);
    EXPECT_TRUE(at::equal(net.norm->running_mean, at::zeros({3})));
    EXPECT_TRUE(at::equal(net.norm->running_var, at::ones({3})));
  }
}

TEST(BatchNormStatistics, NothingIsCollectiveWithoutALayer) {
  class Plain : public networks::Model {
    at::Tensor forward(
        const at::Tensor& x,
        const at::Tensor&,
        const at::Generator&) override {
      return x;
    }
  };
  Plain plain;
  dist::Group alone;
  BatchNormExchange exchange(plain, alone, BatchNormStatistics::kSync);
  EXPECT_EQ(exchange.layers(), 0);
  EXPECT_FALSE(exchange.forward_is_collective());
}

} // namespace
} // namespace vitrain::engine

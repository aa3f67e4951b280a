// dist.zero1: every worker updates its share of the weights.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/error.h"
#include "dist/sync/sharded_update.h"
#include "optim/flat_state.h"
#include "optim/grouping.h"
#include "optim/rules/optimizers.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

using testing::Rank;
using testing::run_ranks;

// Parameters of sizes that no number of workers divides, in two groups.
class ShardedNet : public torch::nn::Module {
 public:
  ShardedNet() {
    // Equal on all ranks, unequal among themselves.
    double seed = 0.1;
    for (const auto& [name, shape] :
         std::vector<std::pair<std::string, std::vector<std::int64_t>>>{
             {"a", {13, 7}}, {"b", {5}}, {"c", {3, 2, 3, 3}}, {"d", {33}}}) {
      const at::Tensor values = at::empty(shape);
      values.copy_(
          (at::arange(values.numel(), at::kFloat) * seed).sin().view(shape));
      register_parameter(name, values);
      seed += 0.37;
    }
  }
};

// A worker that trains with shares, or with everything.
struct ShardedWorker {
  ShardedWorker(optim::Share share, const config::OptimConfig& options)
      : parameters(
            net,
            optim::grouping_of(options),
            {.index = share.index,
             .count = share.count,
             .whole_parameters =
                 options.row().whole_parameters || options.cautious}),
        optimizer(optim::make_optimizer(parameters, options)) {}

  // Sets equal gradients on every rank, as after an all-reduce.
  void step(int number) {
    for (optim::FlatGroup& group : parameters.groups()) {
      for (const optim::Segment& segment : group.segments) {
        const at::Tensor& parameter = segment.parameter;
        parameter.grad().copy_(
            (at::arange(parameter.numel(), at::kFloat) * 0.7 + number)
                .cos()
                .view(parameter.sizes()));
      }
    }
    optimizer->step(0.01 / (1 + number), at::zeros({}));
  }

  ShardedNet net;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
};

optim::Optimizer::Gather gather_over(dist::Group& group) {
  return [&group](const at::Tensor& share) {
    return at::cat(group.all_gather(share));
  };
}

// Does nothing with gradients: they are equal already.
class NoExchange final : public dist::GradientSync {
 public:
  std::int64_t begin_step(const dist::StepInfo&) override { return 1; }
  void begin_micro_batch(bool, bool) override {}
  bool finish() override { return true; }
  dist::Traffic traffic() const override { return {}; }
};

std::unique_ptr<dist::GradientSync> sharded(Rank& rank, ShardedWorker& worker) {
  std::vector<dist::ShardedBuffer> buffers;
  for (const optim::FlatGroup& group : worker.parameters.groups()) {
    buffers.push_back(
        {group.shares,
         group.shares.narrow(
             0, rank.rank() * group.share_size, group.share_size)});
  }
  return dist::make_sharded_update(
      rank.data(), std::make_unique<NoExchange>(), std::move(buffers));
}

void expect_same_state(
    const std::map<std::string, at::Tensor>& one,
    const std::map<std::string, at::Tensor>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one) {
    EXPECT_TRUE(at::equal(tensor, other.at(name))) << name;
  }
}

// Parameter by parameter: shares of whole ones leave other gaps.
void expect_same_weights(const ShardedWorker& one, const ShardedWorker& other) {
  const auto others = other.net.named_parameters();
  for (const auto& item : one.net.named_parameters()) {
    EXPECT_TRUE(at::equal(item.value(), others[item.key()])) << item.key();
  }
}

// "lamb", "cautious adamw".
config::OptimConfig options_of(const std::string& name) {
  constexpr std::string_view kCautious = "cautious ";
  const bool cautious = name.starts_with(kCautious);
  return {
      .name = value_of<config::OptimKind>(
                  cautious ? name.substr(kCautious.size()) : name)
                  .value(),
      .lr = 0.01,
      .cautious = cautious,
      .no_decay = {"norm"}};
}

class Zero1 : public ::testing::TestWithParam<std::string> {
 protected:
  static config::OptimConfig options() { return options_of(GetParam()); }
};

TEST_P(Zero1, HasTheBitsOfTheWholeUpdate) {
  for (const int size : {2, 3, 4}) {
    run_ranks(size, [&](Rank& rank) {
      ShardedWorker whole({}, options());
      ShardedWorker part({.index = rank.rank(), .count = size}, options());
      const auto sync = sharded(rank, part);
      for (int step = 0; step < 5; ++step) {
        sync->begin_step({});
        whole.step(step);
        part.step(step);
        sync->updated();
        expect_same_weights(whole, part);
        EXPECT_GT(sync->traffic().bytes, 0);
      }
      expect_same_state(
          part.optimizer->state(gather_over(rank.data())),
          whole.optimizer->state());
    });
  }
}

TEST_P(Zero1, CheckpointsAreThoseOfAnyNumberOfWorkers) {
  // Saved by three, continued by two and by one.
  std::map<std::string, at::Tensor> saved;
  run_ranks(3, [&](Rank& rank) {
    ShardedWorker part({.index = rank.rank(), .count = 3}, options());
    const auto sync = sharded(rank, part);
    for (int step = 0; step < 3; ++step) {
      part.step(step);
      sync->updated();
    }
    const auto state = part.optimizer->state(gather_over(rank.data()));
    if (rank.rank() == 0) {
      for (const auto& [name, tensor] : state) {
        saved[name] = tensor.clone();
      }
      for (const auto& item : part.net.named_parameters()) {
        saved["weights." + item.key()] = item.value().detach().clone();
      }
    }
  });
  ShardedWorker unbroken({}, options());
  for (int step = 0; step < 5; ++step) {
    unbroken.step(step);
  }
  const auto restore = [&](ShardedWorker& worker) {
    const at::NoGradGuard no_grad;
    std::map<std::string, at::Tensor> state;
    for (const auto& [name, tensor] : saved) {
      if (!name.starts_with("weights.")) {
        state[name] = tensor;
      }
    }
    for (const auto& item : worker.net.named_parameters()) {
      item.value().copy_(saved.at("weights." + item.key()));
    }
    worker.optimizer->load_state(state);
  };
  run_ranks(2, [&](Rank& rank) {
    ShardedWorker part({.index = rank.rank(), .count = 2}, options());
    const auto sync = sharded(rank, part);
    restore(part);
    for (int step = 3; step < 5; ++step) {
      part.step(step);
      sync->updated();
    }
    expect_same_weights(part, unbroken);
    expect_same_state(
        part.optimizer->state(gather_over(rank.data())),
        unbroken.optimizer->state());
  });
  ShardedWorker alone({}, options());
  restore(alone);
  alone.step(3);
  alone.step(4);
  expect_same_weights(alone, unbroken);
}

TEST_P(Zero1, KeepsItsShareOfTheStateOnly) {
  constexpr std::int64_t kWorkers = 4;
  ShardedWorker whole({}, options());
  ShardedWorker part({.index = 1, .count = kWorkers}, options());
  const auto elements = [](const ShardedWorker& worker) {
    std::int64_t sum = 0;
    for (const at::Tensor& buffer : worker.optimizer->buffers()) {
      sum += buffer.numel();
    }
    return sum;
  };
  // Shares are rounded up to 16 elements, in each group; or to the largest
  // parameter, of 91.
  const std::int64_t more = part.parameters.share().whole_parameters ? 96 : 16;
  EXPECT_LE(
      elements(part),
      elements(whole) / kWorkers +
          more * static_cast<std::int64_t>(part.optimizer->buffers().size()));
  EXPECT_GT(elements(part), 0);
}

// More workers than there are shares of 16 elements: some have nothing to do.
TEST_P(Zero1, SharesMayBeEmpty) {
  run_ranks(2, [&](Rank& rank) {
    ShardedWorker whole({}, options());
    ShardedWorker part({.index = 14 + rank.rank(), .count = 16}, options());
    part.step(0);
    for (const optim::FlatGroup& group : part.parameters.groups()) {
      EXPECT_EQ(group.own_size, 0);
    }
    expect_same_weights(whole, part);
  });
}

TEST_P(Zero1, RefusesStateOfAnotherModelWhole) {
  ShardedWorker part({.index = 1, .count = 2}, options());
  ShardedWorker whole({}, options());
  auto state = whole.optimizer->state();
  state.erase(state.begin());
  EXPECT_THROW(part.optimizer->load_state(state), Error);
}

std::vector<std::string> shareable() {
  std::vector<std::string> names{"cautious adamw"};
  for (const config::OptimizerRow& row : config::optimizers::kRows) {
    if (row.state_per_weight) {
      names.push_back(name_of(row.kind));
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(
    Optimizers,
    Zero1,
    ::testing::ValuesIn(shareable()),
    [](const auto& test) {
      std::string name = test.param;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

} // namespace
} // namespace vitrain::engine

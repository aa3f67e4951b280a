#include "optim/lookahead.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "golden.h"
#include "optim/rules/optimizers.h"

namespace vitrain::optim {
namespace {

// tests/golden/optim/make_lookahead_ramp.py
const nlohmann::json& ramp() {
  static const nlohmann::json file = golden("lookahead_ramp.json");
  return file;
}

at::Tensor numbers(const nlohmann::json& list) {
  return at::tensor(list.get<std::vector<double>>(), at::kDouble)
      .to(at::kFloat);
}

class Walker : public torch::nn::Module {
 public:
  Walker() {
    weight = register_parameter("weight", numbers(ramp().at("weight")));
    mean = register_buffer("mean", numbers(ramp().at("mean")));
  }
  at::Tensor weight;
  at::Tensor mean;
};

config::OptimConfig walking() {
  config::OptimConfig options;
  options.name = config::OptimKind::kSgd;
  options.momentum = 0.85;
  options.nesterov = true;
  options.weight_decay = 0.0;
  options.lookahead = {
      .every = ramp().at("every").get<std::int64_t>(),
      .alpha = ramp().at("alpha").get<double>(),
      .ramp = 3.0,
      .buffers = true,
      .ends_slow = true};
  return options;
}

struct Walk {
  explicit Walk(const config::OptimConfig& options = walking())
      : state(net, 0.0, {}), optimizer(make_optimizer(state, options)) {
    optimizer->look_ahead_with({{"mean", net.mean}});
  }

  void step(std::int64_t step, bool non_finite = false) {
    const at::NoGradGuard no_grad;
    optimizer->begin_step(
        {.step = step, .steps = ramp().at("steps").get<std::int64_t>()});
    const at::Tensor slope = numbers(ramp().at("steepness")) *
        (net.weight - numbers(ramp().at("middle")));
    if (!non_finite) {
      net.mean.mul_(0.6).add_(net.weight, 0.4);
    }
    net.weight.mutable_grad().copy_(slope);
    optimizer->step(0.05, non_finite ? at::ones({}) : at::zeros({}));
  }

  Walker net;
  FlatState state;
  std::unique_ptr<Optimizer> optimizer;
};

// Single precision there and back for 23 steps: a few of its last digits.
void expect_shown(const Walk& walk, std::int64_t step) {
  const auto shown = ramp().at("shown").find(std::to_string(step));
  if (shown == ramp().at("shown").end()) {
    return;
  }
  EXPECT_TRUE(at::allclose(
      walk.net.weight.detach(), numbers(shown->at("weight")), 1e-6, 1e-6))
      << step;
  EXPECT_TRUE(
      at::allclose(walk.net.mean, numbers(shown->at("mean")), 1e-6, 1e-6))
      << step;
}

// Also when the run is continued from a checkpoint between two of its moments.
TEST(Lookahead, RampsAndEndsAsTheReference) {
  Walk walk;
  Walk continued;
  const auto steps = ramp().at("steps").get<std::int64_t>();
  for (std::int64_t step = 1; step <= steps; ++step) {
    walk.step(step);
    expect_shown(walk, step);
    if (step == 12) {
      const at::NoGradGuard no_grad;
      continued.net.weight.copy_(walk.net.weight);
      continued.net.mean.copy_(walk.net.mean);
      continued.optimizer->load_state(walk.optimizer->state());
    } else if (step > 12) {
      continued.step(step);
    }
  }
  EXPECT_TRUE(at::equal(continued.net.weight, walk.net.weight));
  EXPECT_TRUE(at::equal(continued.net.mean, walk.net.mean));
}

// A step that is skipped moves nothing, also where the last update was one of
// every fifth, and a run whose last step is skipped ends with the slow weights.
TEST(Lookahead, ASkippedStepMovesNothingAndTheLastOneEnds) {
  config::OptimConfig options = walking();
  options.lookahead.ramp = 0.0;
  options.lookahead.every = 5;
  Walk walk(options);
  const auto steps = ramp().at("steps").get<std::int64_t>();
  for (std::int64_t step = 1; step < steps; ++step) {
    walk.step(step);
    if (step == 10) {
      const at::Tensor before = walk.net.weight.detach().clone();
      const at::Tensor slow =
          walk.optimizer->state().at("weight.lookahead_slow").clone();
      walk.step(step, /*non_finite=*/true);
      EXPECT_TRUE(at::equal(walk.net.weight, before));
      EXPECT_TRUE(
          at::equal(walk.optimizer->state().at("weight.lookahead_slow"), slow));
    }
  }
  walk.step(steps, /*non_finite=*/true);
  EXPECT_TRUE(at::equal(
      walk.net.weight.detach(),
      walk.optimizer->state().at("weight.lookahead_slow")));
}

TEST(Lookahead, KeepsMoreOfTheSlowWeightsInTheRun) {
  config::LookaheadConfig options{.every = 5, .alpha = 0.25};
  EXPECT_EQ(kept_of_slow(options, {}), 0.75);
  options.ramp = 3.0;
  EXPECT_EQ(kept_of_slow(options, {.step = 50, .steps = 100}), 0.75 / 8);
  EXPECT_EQ(kept_of_slow(options, {.step = 100, .steps = 100}), 0.75);
}

} // namespace
} // namespace vitrain::optim

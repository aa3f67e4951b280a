#include "engine/step/gradient_exchange.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/sections/dist.h"
#include "config/sections/sync.h"
#include "job/run/job.h"
#include "networks/model.h"
#include "optim/rules/optimizers.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

using config::SyncMode;

// A worker whose dist.sync makes the exchange.
struct Exchanging : LoneWorker {
  explicit Exchanging(const optim::Share& share = {})
      : model(networks::make_model(tiny_vit(), 3)),
        parameters(*model, 0.05, {"bias"}, share),
        optimizer(optim::make_optimizer(parameters, {})) {}

  std::unique_ptr<dist::GradientSync> make() {
    return make_gradient_sync(session, parameters, *optimizer);
  }
  config::DistConfig& options() { return job.recipe.dist; }

  std::shared_ptr<networks::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
};

// Each mode by how far a rank may be ahead, from a setting of its own.
TEST(Exchange, IsOfTheModeThatTheRecipeNames) {
  Exchanging worker;
  config::SyncConfig& sync = worker.options().sync;
  sync.period = 6;
  sync.delay = 2;
  sync.periods = {3, 9};
  sync.group_sizes = {1, -1};
  sync.max_staleness = 11;
  for (const auto& [mode, lead] :
       {std::pair(SyncMode::kAllreduce, 0),
        {SyncMode::kDelayedAllreduce, 1},
        {SyncMode::kLocalSgd, 5},
        {SyncMode::kPostLocalSgd, 5},
        {SyncMode::kHierarchicalSgd, 2},
        {SyncMode::kDiloco, 5},
        {SyncMode::kOverlapAverage, 5},
        {SyncMode::kAsyncPs, 11},
        {SyncMode::kHogwild, 11}}) {
    SCOPED_TRACE(name_of(mode));
    sync.mode = mode;
    const auto made = worker.make();
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->lead(), lead);
    EXPECT_EQ(made->one_step_late(), mode == SyncMode::kDelayedAllreduce);
    EXPECT_EQ(
        made->state().contains("sync.outer_momentum.0"),
        mode == SyncMode::kDiloco);
  }
}

// Updates of every other worker may come between, twice.
TEST(Exchange, StalenessIsBoundedByTheNumberOfWorkersUnlessTold) {
  Exchanging worker;
  worker.options().sync.mode = SyncMode::kHogwild;
  worker.session.world = 4;
  EXPECT_EQ(worker.make()->lead(), 6);
}

TEST(Exchange, HogwildMovesTheWeightsToSharedMemory) {
  Exchanging worker;
  worker.options().sync.mode = SyncMode::kHogwild;
  const optim::FlatGroup& group = worker.parameters.groups().front();
  const void* const before = group.parameters.const_data_ptr();
  const at::Tensor values = group.parameters.clone();
  const auto made = worker.make();
  EXPECT_NE(group.parameters.const_data_ptr(), before);
  EXPECT_TRUE(at::equal(group.parameters, values));
  for (const optim::Segment& segment : group.segments) {
    EXPECT_TRUE(segment.parameter.is_alias_of(group.parameters));
  }
}

TEST(Exchange, CompressionIsThatOfTheRecipe) {
  Exchanging worker;
  worker.options().compress = Compress::kPowerSgd;
  worker.options().powersgd.min_compression = 1.0;
  const auto state = worker.make()->state();
  ASSERT_FALSE(state.empty());
  EXPECT_THAT(
      state.begin()->first, ::testing::StartsWith("sync.powersgd.error."));
}

// Momentum is made once: at the exchange, or by the optimizer.
TEST(Exchange, TopKKeepsVelocitiesWhereTheRecipeCorrectsMomentum) {
  Exchanging worker;
  worker.job.recipe.optim.name = config::OptimKind::kSgd;
  worker.options().compress = Compress::kTopK;
  for (const bool corrects : {false, true}) {
    worker.options().topk.momentum_correction = corrects;
    std::size_t velocities = 0;
    for (const auto& [name, tensor] : worker.make()->state()) {
      velocities += name.starts_with("sync.topk.velocity.") ? 1 : 0;
    }
    EXPECT_EQ(velocities > 0, corrects);
    // Without a gradient there is no weight decay whose momentum would show.
    optim::FlatState& parameters = worker.parameters;
    const auto optimizer = make_recipe_optimizer(worker.job.recipe, parameters);
    at::Tensor& weights = parameters.groups().front().parameters;
    const at::NoGradGuard no_grad;
    weights.zero_();
    for (int step = 0; step < 2; ++step) {
      parameters.groups().front().gradients.fill_(1);
      optimizer->step(1.0, at::zeros({}));
    }
    // -1 and -(1 + 0.9), or twice -1; what weight decay adds is less.
    EXPECT_EQ(weights.max().item<float>() < -2.5F, !corrects);
  }
}

TEST(Exchange, EveryParameterTravelsOnce) {
  const Exchanging worker;
  const auto buffers = replica_buffers(worker.parameters, *worker.optimizer);
  const auto& groups = worker.parameters.groups();
  ASSERT_EQ(buffers.gradients.size(), groups.size());
  std::int64_t travelling = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_TRUE(buffers.parameters[i].is_same(groups[i].parameters));
    EXPECT_TRUE(buffers.gradients[i].gradients.is_same(groups[i].gradients));
    for (const dist::GradientSlot& slot : buffers.gradients[i].slots) {
      EXPECT_EQ(
          slot.parameter.grad().const_data_ptr(),
          groups[i].gradients.narrow(0, slot.offset, 1).const_data_ptr());
      travelling += slot.parameter.numel();
    }
  }
  EXPECT_EQ(travelling, worker.parameters.parameter_count());
  EXPECT_EQ(buffers.moments.size(), worker.optimizer->buffers().size());
}

} // namespace
} // namespace vitrain::engine

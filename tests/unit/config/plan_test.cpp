#include "config/rules/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/sections/ema.h"
#include "config/sections/recipe.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

// With the steps of a sampler that drops the last batch.
Plan plan_of(
    const std::vector<std::string>& sets,
    std::int64_t workers,
    std::int64_t samples = 50000) {
  const Recipe recipe = recipe_with(sets);
  const BatchPlan batch = plan_batch(recipe, workers);
  return make_plan(
      recipe,
      batch,
      {.train_samples = samples,
       .steps_per_epoch = samples / batch.global_batch,
       .eval_samples = 10000});
}

TEST(Plan, GlobalBatchIsTheProduct) {
  const Plan plan =
      plan_of({"data.batch_size=64", "train.accumulate=3"}, /*workers=*/2);
  EXPECT_EQ(plan.device_batch, 64);
  EXPECT_EQ(plan.global_batch, 384);
  EXPECT_EQ(plan.eval_batch, 64);
  EXPECT_EQ(plan.batch_text, "64 x 2 workers x 3 = 384");
  EXPECT_EQ(plan_of({}, 1).batch_text, "128 x 1 worker x 1 = 128");
}

// dist.mode: single_process: one worker takes the batches of all its devices.
TEST(Plan, OneProcessHasReplicas) {
  const Plan plan = plan_of(
      {"data.batch_size=64",
       "train.accumulate=3",
       "dist.mode=single_process",
       "schedule.scale.rule=linear",
       "schedule.scale.base_batch=per_device",
       "optim.lr=0.1"},
      /*devices=*/2);
  EXPECT_EQ(plan.workers, 1);
  EXPECT_EQ(plan.replicas, 2);
  EXPECT_EQ(plan.worker_batch(), 128);
  EXPECT_EQ(plan.global_batch, 384);
  EXPECT_EQ(plan.batch_text, "64 x 2 replicas x 3 = 384");
  EXPECT_EQ(plan.lr_text, "0.1 x 2 replicas = 0.2");
}

// As torch's DataParallel shares it: its guide's 30 rows on 8 devices are seven
// times 4 and 2.
TEST(Plan, ReplicasOfOneProcessMayShareUnequally) {
  const Plan plan = plan_of(
      {"data.batch_mode=global",
       "data.batch_size=30",
       "dist.mode=single_process"},
      /*devices=*/8,
      /*samples=*/100);
  EXPECT_EQ(plan.device_batch, 4);
  EXPECT_EQ(plan.global_batch, 30);
  EXPECT_EQ(plan.steps_per_epoch, 3);
  EXPECT_EQ(plan.batch_text, "30 on 8 replicas x 1 = 30");
}

TEST(Plan, GlobalModeSharesTheBatch) {
  const std::vector<std::string> sets{
      "data.batch_mode=global", "data.batch_size=96", "train.accumulate=2"};
  for (const std::int64_t workers : {1, 2, 3, 4}) {
    const Plan plan = plan_of(sets, workers);
    EXPECT_EQ(plan.device_batch, 96 / workers);
    EXPECT_EQ(plan.global_batch, 192);
  }
  expect_message(
      usage_error([&] { plan_of(sets, 5); }),
      {"data.batch_size", "96", "batch_mode"});
}

TEST(Plan, ElasticRunsHaveOnePlanForAnyWorkers) {
  for (const char* mode : {"per_device", "global"}) {
    for (const std::int64_t workers : {1, 2, 4, 8}) {
      const Plan plan = plan_of(
          {"run.determinism=elastic",
           "train.accumulate=3",
           std::string("data.batch_mode=") + mode,
           std::string("data.batch_size=") + (*mode == 'g' ? "64" : "8"),
           "schedule.scale.rule=linear",
           "schedule.scale.base_batch=per_device",
           "optim.lr=0.1"},
          workers);
      EXPECT_EQ(plan.device_batch, 8);
      EXPECT_EQ(plan.global_batch, 8 * 8 * 3);
      EXPECT_EQ(plan.workers, workers);
      EXPECT_EQ(plan.accumulate, 3 * 8 / workers);
      EXPECT_EQ(plan.parts(), 8);
      EXPECT_EQ(plan.part_batches(), 3);
      EXPECT_DOUBLE_EQ(plan.lr, *mode == 'g' ? 0.1 : 0.8);
    }
  }
  expect_message(
      usage_error([] { plan_of({"run.determinism=elastic"}, 3); }),
      {"run.shards", "8", "3"});
}

// The shape of an evaluation batch decides the kernels, and so the last bits.
TEST(Plan, EvalBatchDoesNotDependOnTheWorkers) {
  const auto batch = [](std::vector<std::string> sets, std::int64_t workers) {
    sets.emplace_back("data.batch_mode=global");
    return plan_of(sets, workers).eval_batch;
  };
  for (const std::int64_t workers : {1, 2, 3, 4, 8}) {
    EXPECT_EQ(batch({"data.batch_size=96"}, workers), 96) << workers;
    EXPECT_EQ(batch({"data.batch_size=4800"}, workers), 256) << workers;
    EXPECT_EQ(
        batch({"data.batch_size=96", "data.eval_batch_size=300"}, workers), 300)
        << workers;
  }
}

TEST(Plan, RunIsTheShorterOfEpochsAndSteps) {
  EXPECT_EQ(plan_of({"run.epochs=3"}, 1).total_steps, 3 * 390);
  EXPECT_EQ(plan_of({"run.epochs=3", "run.max_steps=7"}, 1).total_steps, 7);
  EXPECT_EQ(
      plan_of({"run.epochs=3", "run.max_steps=99999"}, 1).total_steps, 3 * 390);
  const Plan plan = plan_of({"run.epochs=3"}, 1);
  EXPECT_EQ(plan.epoch_of(389), 0);
  EXPECT_EQ(plan.epoch_of(390), 1);
}

TEST(Plan, LongestRunDoesNotOverflow) {
  const Plan plan = plan_of(
      {"run.epochs=1000000", "data.batch_size=1"}, 1, std::int64_t{1} << 40);
  EXPECT_EQ(plan.total_steps, (std::int64_t{1} << 40) * 1000000);
}

TEST(Plan, IntervalsAreAtLeastOneStep) {
  const Plan plan = plan_of(
      {"run.epochs=10",
       "schedule.warmup=5ep",
       "schedule.step_every=0.5ep",
       "eval.every=0.1dur",
       "checkpoint.every=0.0001ep"},
      1);
  EXPECT_EQ(plan.warmup_steps, 1950);
  EXPECT_EQ(plan.step_every, 195);
  EXPECT_EQ(plan.eval_every.steps, 390);
  EXPECT_EQ(plan.checkpoint_every.steps, 1);
}

// Epochs of 10 steps, from the third on of 20 and from the fifth on of 5.
Plan staged_plan(std::vector<std::string> sets) {
  sets.emplace_back("run.epochs=6");
  sets.emplace_back("data.batch_size=8");
  sets.emplace_back("data.augment.stages=[{from_epoch: 3, batch_size: 4}, "
                    "{from_epoch: 5, batch_size: 16}]");
  const Recipe recipe = recipe_with(sets);
  DataSize size{.train_samples = 80, .steps_per_epoch = 10, .eval_samples = 10};
  for (const BatchStage& stage : batch_stages(recipe, 1)) {
    size.epochs.push_back({stage.first_epoch, 80 / stage.batch.global_batch});
  }
  return make_plan(recipe, plan_batch(recipe, 1), size);
}

TEST(Plan, StagesMayHaveOtherBatches) {
  const Plan plan = staged_plan(
      {"schedule.warmup=1.5ep",
       "schedule.step_every=2ep",
       "schedule.milestones=[15st, 30st, 0.5dur]",
       "schedule.name=step",
       "train.ema.start=3ep",
       "eval.every=1ep",
       "checkpoint.every=0.5ep",
       "run.stop_after=2ep",
       "dist.check_every=7st"});
  EXPECT_EQ(plan.total_steps, 10 + 10 + 20 + 20 + 5 + 5);
  EXPECT_EQ(plan.epochs(), 6);
  EXPECT_EQ(plan.global_batch, 8); // what rates are scaled for
  EXPECT_EQ(plan.epoch_of(19), 1);
  EXPECT_EQ(plan.epoch_of(20), 2);
  EXPECT_EQ(plan.timeline.step_in_epoch(61), 1);
  EXPECT_EQ(plan.timeline.first_step(5), 65);
  EXPECT_EQ(plan.ema_start, 40);
  // The schedule's time: ten steps an epoch, as if the batch had stayed.
  EXPECT_EQ(plan.schedule_steps, 60);
  EXPECT_EQ(plan.warmup_steps, 15);
  EXPECT_EQ(plan.step_every, 20);
  EXPECT_EQ(plan.milestones, (std::vector<std::int64_t>{15, 25, 30}));
  EXPECT_EQ(plan.schedule_time(7), 7.0);
  EXPECT_EQ(plan.schedule_time(21), 20.5);
  EXPECT_EQ(plan.schedule_time(61), 42.0);
  EXPECT_EQ(plan.schedule_time(70), 60.0);
  std::vector<std::int64_t> evaluations;
  std::vector<std::int64_t> saves;
  for (std::int64_t step = 1; step <= plan.total_steps; ++step) {
    if (plan.eval_every.due(plan.timeline, step)) {
      evaluations.push_back(step);
    }
    if (plan.checkpoint_every.due(plan.timeline, step)) {
      saves.push_back(step);
    }
    EXPECT_EQ(plan.replicas_every.due(plan.timeline, step), step % 7 == 0);
  }
  EXPECT_EQ(evaluations, (std::vector<std::int64_t>{10, 20, 40, 60, 65, 70}));
  EXPECT_EQ(
      saves,
      (std::vector<std::int64_t>{
          5, 10, 15, 20, 30, 40, 50, 60, 63, 65, 68, 70}));
  for (const auto& [every, steps] :
       {std::pair{&plan.eval_every, &evaluations},
        {&plan.checkpoint_every, &saves}}) {
    std::int64_t step = 0;
    for (const std::int64_t next : *steps) {
      EXPECT_EQ(every->next(plan.timeline, step), next);
      EXPECT_EQ(every->next(plan.timeline, next - 1), next);
      step = next;
    }
  }
  EXPECT_EQ(plan.replicas_every.next(plan.timeline, 13), 14);
  EXPECT_EQ(plan.replicas_every.next(plan.timeline, 14), 21);
  EXPECT_EQ(plan.step_of_time(15), 15);
  EXPECT_EQ(plan.step_of_time(25), 30);
  EXPECT_EQ(plan.step_of_time(50), 65);
  EXPECT_EQ(plan.step_of_time(60), 70);
  EXPECT_EQ(plan.eval_every.times(plan.timeline, 64), 4);
  EXPECT_FALSE(plan.stop_after.over(plan.timeline, 30, 59));
  EXPECT_TRUE(plan.stop_after.over(plan.timeline, 30, 63));
  EXPECT_FALSE(plan.stop_after.over(plan.timeline, 30, 62));
}

TEST(Plan, AveragesAreUpdatedByStepsOfTheRunOrOfEpochs) {
  const auto steps = [](EmaCount count, const Timeline& timeline) {
    std::vector<std::int64_t> updates;
    for (std::int64_t step = 1; step <= 26; ++step) {
      if (updates_average({.every = 5, .count = count}, timeline, step)) {
        updates.push_back(step);
      }
    }
    return updates;
  };
  using Steps = std::vector<std::int64_t>;
  const Timeline even({{0, 12}});
  EXPECT_EQ(steps(EmaCount::kRun, even), (Steps{5, 10, 15, 20, 25}));
  EXPECT_EQ(steps(EmaCount::kEpoch, even), (Steps{1, 6, 11, 13, 18, 23, 25}));
  EXPECT_EQ(
      steps(EmaCount::kEpoch, Timeline({{0, 12}, {1, 7}})),
      (Steps{1, 6, 11, 13, 18, 20, 25}));
}

TEST(Plan, PruningInEpochsNeedsEpochsOfOneLength) {
  expect_message(
      usage_error([] {
        staged_plan({"train.prune.amount=0.5", "train.prune.every=1ep"});
      }),
      {"train.prune.every"});
  EXPECT_EQ(
      staged_plan({"train.prune.amount=0.5", "train.prune.every=5st"})
          .prune_every,
      5);
}

TEST(Plan, WarmupLongerThanTheRunIsAnError) {
  expect_message(
      usage_error([] {
        plan_of({"run.max_steps=100", "schedule.warmup=1ep"}, 1);
      }),
      {"schedule.warmup", "390", "100"});
  EXPECT_EQ(
      plan_of({"run.max_steps=100", "schedule.warmup=1dur"}, 1).warmup_steps,
      100);
}

TEST(Plan, WarmupBeyondATrialNamesTheOption) {
  expect_message(
      usage_error([] {
        plan_of({"schedule.warmup=1ep", "run.max_steps=5"}, 1);
      }),
      {"-set", "schedule.warmup=0st"});
}

TEST(Plan, LearningRatesScaleWithTheGlobalBatch) {
  const std::vector<std::string> common{
      "optim.lr=5e-4",
      "schedule.warmup_lr=1e-6",
      "schedule.min_lr=1e-5",
      "data.batch_size=512",
      "schedule.scale.base_batch=512"};
  const auto plan = [&](std::vector<std::string> more) {
    more.insert(more.end(), common.begin(), common.end());
    return plan_of(more, /*workers=*/2);
  };
  const Plan none = plan({});
  EXPECT_EQ(none.lr, 5e-4);
  EXPECT_EQ(none.lr_text, "0.0005 (not scaled)");
  const Plan linear = plan({"schedule.scale.rule=linear"});
  EXPECT_EQ(linear.lr, 1e-3);
  EXPECT_EQ(linear.warmup_lr, 1e-6);
  EXPECT_EQ(linear.min_lr, 1e-5);
  EXPECT_EQ(linear.lr_text, "0.0005 x 1024 / 512 = 0.001");
  const Plan all = plan(
      {"schedule.scale.rule=linear",
       "schedule.scale.apply_to=[lr, warmup_lr, min_lr]"});
  EXPECT_EQ(all.warmup_lr, 2e-6);
  EXPECT_EQ(all.min_lr, 2e-5);
  const Plan root = plan({"schedule.scale.rule=sqrt"});
  EXPECT_DOUBLE_EQ(root.lr, 5e-4 * 1.4142135623730951);
  EXPECT_EQ(root.lr_text, "0.0005 x sqrt(1024 / 512) = 0.000707107");
  const Plan other =
      plan({"schedule.scale.rule=linear", "schedule.scale.apply_to=[min_lr]"});
  EXPECT_EQ(other.lr, 5e-4);
  EXPECT_EQ(other.lr_text, "0.0005 (not scaled)");
}

// Horovod's lr * hvd.size() and the factor of Paddle's guide.
TEST(Plan, PerDeviceScalingIsTimesTheNumberOfDevices) {
  const auto plan = [](std::int64_t workers, std::vector<std::string> more) {
    more.insert(
        more.end(),
        {"optim.lr=0.1",
         "data.batch_size=32",
         "schedule.scale.rule=linear",
         "schedule.scale.base_batch=per_device"});
    return plan_of(more, workers);
  };
  EXPECT_DOUBLE_EQ(plan(4, {}).lr, 0.4);
  EXPECT_EQ(plan(4, {}).lr_text, "0.1 x 4 workers = 0.4");
  EXPECT_EQ(plan(1, {}).lr_text, "0.1 x 1 worker = 0.1");
  // Accumulation is not another device.
  EXPECT_DOUBLE_EQ(plan(4, {"train.accumulate=3"}).lr, 0.4);
  // The batch of global mode does not grow with the devices.
  const Plan global = plan(4, {"data.batch_mode=global"});
  EXPECT_EQ(global.lr, 0.1);
  EXPECT_EQ(global.lr_text, "0.1 (not scaled)");
}

} // namespace
} // namespace vitrain::config

// Notes about a plan before training starts.

#include "config/rules/plan_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace vitrain::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the notes of a plan of 24 steps in epochs of 8.
std::vector<std::string> notes(
    std::vector<std::string> sets,
    std::int64_t epochs = 3) {
  sets.push_back("data.batch_size=16");
  Recipe recipe = recipe_with(sets);
  recipe.run.epochs = epochs;
  const Plan plan = make_plan(
      recipe,
      plan_batch(recipe, /*devices=*/1),
      {.train_samples = 128, .steps_per_epoch = 8, .eval_samples = 10});
  return plan_notes(recipe, plan);
}

// As notes(), but every epoch after the first has 5 steps: 18 steps in total.
std::vector<std::string> uneven_notes(std::vector<std::string> sets) {
  sets.push_back("data.batch_size=16");
  Recipe recipe = recipe_with(sets);
  recipe.run.epochs = 3;
  const Plan plan = make_plan(
      recipe,
      plan_batch(recipe, /*devices=*/1),
      {.train_samples = 128,
       .steps_per_epoch = 8,
       .eval_samples = 10,
       .epochs = {{0, 8}, {1, 5}}});
  return plan_notes(recipe, plan);
}

TEST(PlanNotes, NothingToSay) {
  EXPECT_THAT(notes({}), IsEmpty());
}

TEST(PlanNotes, ARateBelowTheCosinesEndRises) {
  const std::vector<std::string> scaled{
      "schedule.scale.rule=linear", "schedule.scale.base_batch=8192"};
  EXPECT_THAT(
      notes(scaled),
      ElementsAre("warning: the learning rate rises: optim.lr is 0.001 x 16 / "
                  "8192 = 1.95313e-06, less than schedule.min_lr, 1e-05, to "
                  "which the cosine goes. Lower schedule.min_lr, or name "
                  "min_lr in schedule.scale.apply_to"));
  EXPECT_THAT(
      notes({"optim.lr=5e-6"}),
      ElementsAre(HasSubstr("optim.lr is 5e-06 (not scaled)")));
  auto all = scaled;
  all.push_back("schedule.scale.apply_to=[lr, min_lr]");
  EXPECT_THAT(notes(all), IsEmpty());
  EXPECT_THAT(notes({"optim.lr=5e-6", "schedule.name=constant"}), IsEmpty());
  EXPECT_THAT(
      notes(
          {"optim.lr=5e-6", "schedule.name=constant", "schedule.cooldown=1ep"}),
      IsEmpty());
}

// Short runs are made on purpose, so nothing is refused.
TEST(PlanNotes, WhatTheRunIsTooShortForIsTold) {
  EXPECT_THAT(
      notes({"dist.sync.mode=local_sgd", "dist.sync.start=5000st"}),
      ElementsAre("warning: dist.sync.start: 5000st is 5,000 steps, more than "
                  "the whole run of 24: until then it is dist.sync.mode: "
                  "allreduce"));
  for (const char* mode :
       {"local_sgd", "post_local_sgd", "diloco", "overlap_average"}) {
    const std::string set = std::string("dist.sync.mode=") + mode;
    EXPECT_THAT(
        notes({set, "dist.sync.period=100000"}),
        testing::Contains(HasSubstr("dist.sync.period: 100000 is 100,000")))
        << mode;
    EXPECT_THAT(
        notes({set, "dist.sync.period=24"}),
        testing::Not(testing::Contains(HasSubstr("more than"))))
        << mode;
  }
  EXPECT_THAT(
      notes({"dist.sync.mode=hierarchical_sgd", "dist.sync.periods=[30, 60]"}),
      ElementsAre(HasSubstr("dist.sync.periods: 30 is 30 steps")));
  EXPECT_THAT(
      notes({"train.ema.decay=0.9", "train.ema.start=200ep"}),
      ElementsAre(HasSubstr("train.ema.start: 200ep is 1,600 steps")));
  EXPECT_THAT(
      notes({"optim.groups=[{match: head, from_epoch: 4}]"}),
      ElementsAre(HasSubstr("optim.groups: head is trained from epoch 4")));
  EXPECT_THAT(
      notes({"optim.groups=[{match: head, from_epoch: 3}]"}), IsEmpty());
  EXPECT_THAT(
      notes({"dist.compress=powersgd", "dist.powersgd.start=1000st"}),
      ElementsAre(HasSubstr("nothing is compressed")));
  EXPECT_THAT(
      notes({"dist.compress=topk", "dist.topk.start=1000st"}),
      ElementsAre(HasSubstr("dist.topk.start: 1000st is 1,000 steps")));
  EXPECT_THAT(
      notes({"train.prune.amount=0.5", "train.prune.end=1000st"}),
      ElementsAre(HasSubstr("train.prune.amount is not reached")));
  EXPECT_THAT(
      notes({"train.ema.decay=0.9", "train.ema.every=25"}),
      ElementsAre(AllOf(
          HasSubstr("train.ema.every: 25 steps, and the run has 24"),
          HasSubstr("is a copy of the first weights to the end"))));
  EXPECT_THAT(
      notes(
          {"train.ema.decay=0.9", "train.ema.every=10", "train.ema.start=2ep"}),
      IsEmpty()); // after step 20
  EXPECT_THAT(
      notes(
          {"train.ema.decay=0.9",
           "train.ema.every=10",
           "train.ema.start=21st"}),
      ElementsAre(HasSubstr("a copy of the weights after step 20")));
  // After steps 1, 9 and 17.
  EXPECT_THAT(
      notes(
          {"train.ema.decay=0.9",
           "train.ema.every=25",
           "train.ema.count=epoch"}),
      IsEmpty());
  EXPECT_THAT(
      notes(
          {"train.ema.decay=0.9",
           "train.ema.every=25",
           "train.ema.count=epoch",
           "train.ema.start=18st"}),
      ElementsAre(HasSubstr("a copy of the weights after step 17")));
  EXPECT_THAT(
      notes({"optim.lookahead.every=25"}),
      ElementsAre(HasSubstr("optim.lookahead.every: 25 is 25 steps")));
  EXPECT_THAT(notes({"optim.lookahead.every=24"}), IsEmpty());
  EXPECT_THAT(
      notes({"schedule.name=step", "schedule.milestones=[3ep, 60ep]"}),
      ElementsAre(HasSubstr("schedule.milestones: [3ep, 60ep]: the run ends "
                            "with step 24, before the first of them")));
  EXPECT_THAT(
      notes({"schedule.name=step", "schedule.milestones=[2ep, 60ep]"}),
      IsEmpty());
  // Keys of other modes give no note.
  EXPECT_THAT(
      notes({"dist.sync.start=5000st", "dist.powersgd.start=1000st"}),
      IsEmpty());
}

TEST(PlanNotes, TheBestEvaluationMayHaveNoCheckpoint) {
  EXPECT_THAT(
      notes({"eval.every=3st"}),
      ElementsAre(AllOf(
          HasSubstr("every 3 steps (eval.every) and a checkpoint every 8 "
                    "(checkpoint.every) meet at the end only"),
          HasSubstr("checkpoints/best"))));
  EXPECT_THAT(
      notes({"eval.every=4st", "checkpoint.every=6st"}),
      ElementsAre(HasSubstr("meet every 12 steps")));
  // A checkpoint at every evaluation, or only one evaluation.
  EXPECT_THAT(notes({"checkpoint.every=4st"}), IsEmpty());
  EXPECT_THAT(notes({"eval.every=3ep", "checkpoint.every=2ep"}), IsEmpty());
  EXPECT_THAT(notes({"eval.every=3st", "checkpoint.keep_best=0"}), IsEmpty());
}

// Evaluations after steps 8 and 13.
TEST(PlanNotes, EpochsOfSeveralLengthsMeetWhereTheyDo) {
  EXPECT_THAT(uneven_notes({}), IsEmpty());
  EXPECT_THAT(
      uneven_notes({"checkpoint.every=8st"}),
      ElementsAre(
          HasSubstr("an evaluation every 1ep (eval.every) and a checkpoint "
                    "every 8st (checkpoint.every) do not always meet, for the "
                    "first time after step 13: checkpoints/best")));
  EXPECT_THAT(
      uneven_notes({"eval.every=8st", "checkpoint.every=0.5ep"}), IsEmpty());
  EXPECT_THAT(
      uneven_notes({"eval.every=2ep", "checkpoint.every=13st"}), IsEmpty());
  EXPECT_THAT(
      uneven_notes({"eval.every=3st", "checkpoint.every=2st"}),
      ElementsAre(HasSubstr("meet every 6 steps")));
  EXPECT_THAT(
      uneven_notes({"dist.sync.mode=diloco", "dist.sync.period=4"}),
      ElementsAre(HasSubstr(
          "too, and eval.every: 1ep (step 13), checkpoint.every: 1ep (step 13) "
          "is no multiple of dist.sync.period: 4")));
}

TEST(PlanNotes, DilocoMakesOuterStepsForEvaluations) {
  const std::string mode = "dist.sync.mode=diloco";
  EXPECT_THAT(notes({mode}), IsEmpty()); // every 8 steps
  EXPECT_THAT(
      notes({mode, "dist.sync.period=5"}),
      ElementsAre(AllOf(
          HasSubstr("an outer step before every evaluation and checkpoint"),
          HasSubstr("eval.every: 8 steps, checkpoint.every: 8 steps is no "
                    "multiple of dist.sync.period: 5"))));
  EXPECT_THAT(
      notes({mode, "checkpoint.every=4st"}),
      ElementsAre(HasSubstr("and checkpoint.every: 4 steps is")));
  EXPECT_THAT(notes({"dist.sync.period=5"}), IsEmpty());
}

} // namespace
} // namespace vitrain::config

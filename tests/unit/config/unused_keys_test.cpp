// Keys that other keys make ineffective.

#include "config/rules/unused_keys.h"
#include "config/load_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace vitrain::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The notes of a recipe of which these are set on the command line.
std::vector<std::string> idle_notes(
    const std::vector<std::string>& sets,
    const LoadRequest& base = {}) {
  LoadRequest request = base;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::size_t equals = sets[i].find('=');
    request.overrides.push_back(
        {sets[i].substr(0, equals),
         sets[i].substr(equals + 1),
         "-set #" + std::to_string(i + 1),
         Override::Form::kYaml,
         Origin::kSet});
  }
  return load(request).notes;
}

struct Idle {
  const char* set;
  const char* needs; // as the note says it
  const char* remedy; // with it, the key has an effect
};

class IdleKeys : public testing::TestWithParam<Idle> {};

TEST_P(IdleKeys, AreTold) {
  const Idle& idle = GetParam();
  const std::string key(idle.set, std::string_view(idle.set).find('='));
  EXPECT_THAT(
      idle_notes({idle.set}),
      ElementsAre(
          "-set #1: " + key + ": has no effect: it needs " + idle.needs));
  EXPECT_THAT(idle_notes({idle.set, idle.remedy}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All,
    IdleKeys,
    testing::Values(
        Idle{
            "dist.sync.period=3",
            "dist.sync.mode: local_sgd, post_local_sgd, diloco or "
            "overlap_average",
            "dist.sync.mode=diloco"},
        Idle{
            "dist.sync.start=3st",
            "dist.sync.mode: local_sgd or post_local_sgd",
            "dist.sync.mode=local_sgd"},
        Idle{
            "dist.sync.servers=1",
            "dist.sync.mode: async_ps",
            "dist.sync.mode=async_ps"},
        Idle{
            "dist.sync.predict=true",
            "dist.sync.mode: delayed_allreduce, or async_ps with a "
            "max_staleness above 0",
            "dist.sync.mode=async_ps"},
        Idle{
            "dist.powersgd.rank=2",
            "dist.compress: powersgd",
            "dist.compress=powersgd"},
        Idle{
            "dist.topk.share=0.1",
            "dist.compress: topk",
            "dist.compress=topk"},
        Idle{
            "train.prune.scope=layer",
            "train.prune.amount",
            "train.prune.amount=0.5"},
        Idle{
            "train.loss_scale=8",
            "train.precision: fp16",
            "train.precision=fp16"},
        Idle{"data.train.classes=7", "kind: random", "data.train.kind=random"},
        Idle{
            "data.eval.count=7",
            "kind: shapes, random or, without path, vectors",
            "data.eval.kind=vectors"},
        Idle{
            "data.train.features=7",
            "kind: vectors, without path",
            "data.train.kind=vectors"},
        Idle{
            "data.sampler.repeats=4",
            "data.sampler.policy: repeated",
            "data.sampler.policy=repeated"},
        Idle{
            "data.bad_samples.limit=4",
            "data.on_bad_sample: replace",
            "data.on_bad_sample=replace"},
        Idle{
            "optim.momentum=0.5",
            "optim.name: sgd, lars, rmsprop, rmsprop_tf, adafactor or muon",
            "optim.name=sgd"},
        Idle{
            "optim.nesterov=true",
            "optim.name: sgd, lars or muon",
            "optim.name=lars"},
        Idle{
            "schedule.step_factor=0.5",
            "schedule.name: step, exponential or plateau",
            "schedule.name=step"},
        Idle{
            "data.augment.mix_prob=0.0",
            "data.augment.mixup or cutmix",
            "data.augment.cutmix=1.0"}));

// The other section's kind does not count.
TEST(IdleKey, ClassesOfShapesAreAlwaysTheSame) {
  EXPECT_THAT(
      idle_notes(
          {"data.train.kind=shapes",
           "data.eval.kind=random",
           "data.train.classes=7"}),
      ElementsAre(HasSubstr(
          "data.train.classes: has no effect: it needs kind: random")));
}

TEST(IdleKey, ShuffleAndTheWeightedPolicy) {
  EXPECT_THAT(
      idle_notes(
          {"data.sampler.policy=weighted", "data.sampler.shuffle=false"}),
      ElementsAre(HasSubstr("data.sampler.shuffle: has no effect")));
  EXPECT_THAT(idle_notes({"data.sampler.shuffle=false"}), IsEmpty());
}

// A base file may set keys that only some of its recipes need.
TEST(IdleKey, OfAFileIsNotTold) {
  const TempFolder folder;
  const auto file = folder.write("a.yaml", "optim: {momentum: 0.5}\n");
  EXPECT_THAT(idle_notes({}, {.file = file}), IsEmpty());
  EXPECT_THAT(
      idle_notes({"optim.momentum=0.6"}, {.file = file}),
      ElementsAre(HasSubstr("optim.momentum")));
  EXPECT_THAT(
      idle_notes({"optim.momentum=0.6"}, {.use = RecipeUse::kEvaluation}),
      IsEmpty());
}

} // namespace
} // namespace vitrain::config

#include "config/rules/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstring>

#include "config/load_recipe.h"
#include "config/rules/dist_rules.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kShapes =
    "data: {train: {kind: shapes}, eval: {kind: shapes}}\n";

std::string problems_of(
    const std::vector<std::string>& sets,
    const CheckContext& context = {}) {
  std::vector<std::string> all{
      "data.train.kind=shapes", "data.eval.kind=shapes"};
  for (const std::string& set : sets) {
    std::erase_if(all, [&](const std::string& earlier) {
      return earlier.substr(0, earlier.find('=')) ==
          set.substr(0, set.find('='));
    });
    all.push_back(set);
  }
  const Problems problems = validate(recipe_with(all), context);
  return problems.empty() ? "" : problems.text();
}

TEST(Validate, AcceptsAGoodRecipe) {
  EXPECT_EQ(problems_of({}), "");
  EXPECT_EQ(problems_of({}, {.workers = 7, .cuda = true}), "");
  EXPECT_EQ(
      problems_of(
          {"model.pretrained=w.safetensors"},
          {.workers = 2, .training = false}),
      "");
}

TEST(Validate, DataNeedsAPath) {
  expect_message(problems_of({"data.train.kind=folder"}), {"data.train.path"});
  expect_message(problems_of({"data.eval.kind=cifar"}), {"data.eval.path"});
  expect_message(
      problems_of({"data.train.kind=folder", "data.train.path=\"\""}),
      {"data.train.path"});
  EXPECT_EQ(problems_of({"data.train.kind=folder", "data.train.path=x"}), "");
}

TEST(Validate, ASplitTakesThePlaceOfEvaluationData) {
  const std::vector<std::string> folders{
      "data.train.kind=folder", "data.train.path=x", "data.eval.kind=folder"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), folders.begin(), folders.end());
    return problems_of(more);
  };
  EXPECT_EQ(with({"data.eval.path=x", "data.split=0.1"}), "");
  expect_message(
      with({"data.eval.path=y", "data.split=0.1"}), {"data.eval.path"});
  expect_message(
      with({"data.eval.path=x", "data.split_seed=1"}), {"data.split"});
  expect_message(problems_of({"data.split=0.1"}), {"data.eval.seed"});
  expect_message(
      problems_of(
          {"data.train.kind=cifar",
           "data.train.path=x",
           "data.eval.kind=cifar",
           "data.eval.path=x",
           "data.split=0.1"}),
      {});
}

TEST(Validate, SubsetsAndRealLabelsAreOfNamedImages) {
  expect_message(problems_of({"eval.subset=a.txt"}), {"eval.subset"});
  EXPECT_THAT(
      problems_of({"eval.real_labels=real.json"}), HasSubstr("data.eval.kind"));
  expect_message(
      problems_of({"checkpoint.metric=real_top1"}),
      {"real_top1", "eval.real_labels"});
  EXPECT_EQ(
      problems_of(
          {"data.eval.kind=folder",
           "data.eval.path=x",
           "eval.subset=a.txt",
           "eval.real_labels=real.json",
           "checkpoint.metric=real_top1"}),
      "");
}

TEST(Validate, ListsOfLabelsNeedABinaryLossAndTheirMetric) {
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all{
        "data.train.kind=list",
        "data.train.path=x",
        "data.eval.kind=list",
        "data.eval.path=y",
        "data.train.multi_label=true",
        "data.eval.multi_label=true",
        "train.loss=binary_cross_entropy",
        "checkpoint.metric=map"};
    all.insert(all.end(), more.begin(), more.end());
    return problems_of(all);
  };
  EXPECT_EQ(with({}), "");
  EXPECT_EQ(with({"train.loss=focal", "checkpoint.metric=loss"}), "");
  expect_message(with({"train.loss=cross_entropy"}), {"binary_cross_entropy"});
  expect_message(with({"data.train.multi_label=false"}), {});
  expect_message(with({"data.train.kind=folder"}), {});
  for (const char* one :
       {"checkpoint.metric=top1",
        "train.label_smoothing=0.1",
        "eval.subset=a.txt",
        "train.class_balance=inverse"}) {
    EXPECT_THAT(with({one}), HasSubstr("is for one label of each sample"))
        << one;
  }
  expect_message(
      problems_of({"checkpoint.metric=map"}), {"data.eval.multi_label"});
}

TEST(Validate, WeightsOfClassesCount) {
  expect_message(
      problems_of({"train.class_weights=[0, 0, 0]"}),
      {"train.class_weights", "0"});
  EXPECT_EQ(problems_of({"train.class_weights=[0, 0.5, 0]"}), "");
  EXPECT_EQ(
      problems_of(
          {"train.class_balance=inverse", "train.class_weighting=terms"}),
      "");
}

TEST(Validate, KeysOfASourceGoWithItsKind) {
  const auto with = [](const std::string& kind, const std::string& key) {
    return problems_of(
        {"data.train.kind=" + kind, "data.train.path=x", "data.train." + key});
  };
  for (const char* kind : {"folder", "list", "tar"}) {
    EXPECT_EQ(with(kind, "class_map=map.txt"), "");
  }
  expect_message(with("mnist", "class_map=map.txt"), {"data.train.class_map"});
  EXPECT_EQ(with("tar", "label=cls"), "");
  EXPECT_EQ(with("tar", "label=json:a.b"), "");
  EXPECT_EQ(with("cifar", "label=coarse"), "");
  expect_message(with("cifar", "label=cls"), {"data.train.label", "'cls'"});
  EXPECT_THAT(
      with("tar", "label=\"json:\""), HasSubstr("expected cls or json:FIELD"));
  expect_message(with("folder", "label=fine"), {});
}

TEST(Validate, EvaluationNeedsWeightsAndNoTrainingData) {
  const CheckContext evaluation{.training = false};
  const std::string message =
      problems_of({"data.train.kind=folder"}, evaluation);
  expect_message(message, {"model.pretrained"});
  EXPECT_THAT(message, Not(HasSubstr("data.train.path")));
}

TEST(Validate, GeneratedEvaluationImagesAreOthers) {
  expect_message(
      problems_of({"data.train.seed=5", "data.eval.seed=5"}),
      {"data.eval.seed", "5"});
}

TEST(Validate, TargetsGoWithSquaredErrors) {
  const std::vector<std::string> regression{
      "data.train.kind=vectors",
      "data.eval.kind=vectors",
      "train.loss=mse",
      "checkpoint.metric=loss"};
  EXPECT_EQ(problems_of(regression), "");
  const auto with = [&](const std::string& setting) {
    auto settings = regression;
    settings.push_back(setting);
    return problems_of(settings);
  };
  expect_message(
      with("train.loss=cross_entropy"),
      {"train.loss", "cross_entropy", "data.eval.kind"});
  expect_message(
      problems_of({"train.loss=mse", "checkpoint.metric=loss"}),
      {"train.loss", "data.eval.kind"});
  expect_message(with("checkpoint.metric=top1"), {"checkpoint.metric"});
  expect_message(with("train.label_smoothing=0.1"), {"train.label_smoothing"});
  expect_message(
      with("data.sampler.policy=weighted"), {"data.sampler.weights"});
  expect_message(with("data.eval.seed=0"), {"data.eval.seed", "0"});
}

TEST(Validate, PixelsHaveNoClasses) {
  const std::vector<std::string> pixels{
      "train.loss=pixels", "checkpoint.metric=loss"};
  EXPECT_EQ(problems_of(pixels), "");
  const auto with = [&](const std::string& setting) {
    auto settings = pixels;
    settings.push_back(setting);
    return problems_of(settings);
  };
  expect_message(with("checkpoint.metric=top1"), {"train.loss"});
  expect_message(with("train.label_smoothing=0.1"), {"train.loss", "0"});
  expect_message(with("data.augment.mixup=0.8"), {"train.loss"});
  expect_message(with("train.bce_sum=true"), {"train.loss"});
  expect_message(
      with("data.eval.kind=vectors"), {"train.loss", "data.eval.kind"});
}

TEST(Validate, MilestonesAreOfTheStepSchedule) {
  expect_message(
      problems_of({"schedule.milestones=[3ep]"}),
      {"schedule.milestones", "schedule.name"});
  EXPECT_EQ(
      problems_of({"schedule.name=step", "schedule.milestones=[3ep]"}), "");
}

TEST(Validate, MeanAndDeviationAreOfPixelsUpToOne) {
  expect_message(
      problems_of({"data.preprocess.mean=[123.675,116.28,103.53]"}),
      {"data.preprocess.mean", "123.675", "0.485", "0.456", "0.406"});
  expect_message(
      problems_of({"data.preprocess.std=[58.395,57.12,57.375]"}),
      {"data.preprocess.std", "58.395", "0.229", "0.224", "0.225"});
  EXPECT_EQ(
      problems_of(
          {"data.preprocess.mean=[1,0,1]", "data.preprocess.std=[1,1,1]"}),
      "");
}

TEST(Validate, PrecisionAndBackendFitTheDevice) {
  const CheckContext gpu{.cuda = true};
  expect_message(problems_of({"train.precision=tf32"}), {"train.precision"});
  EXPECT_EQ(problems_of({"train.precision=tf32"}, gpu), "");
  expect_message(problems_of({"train.precision=fp16"}), {"train.precision"});
  EXPECT_EQ(problems_of({"train.precision=fp16"}, gpu), "");
  expect_message(problems_of({"eval.precision=tf32"}), {"eval.precision"});
  EXPECT_EQ(problems_of({"eval.precision=tf32"}, gpu), "");
  // How the weights were trained does not matter to an evaluation.
  const CheckContext evaluation{.training = false};
  EXPECT_EQ(
      problems_of(
          {"train.precision=tf32", "model.pretrained=w.safetensors"},
          evaluation),
      "");
  expect_message(
      problems_of(
          {"train.precision=tf32",
           "eval.precision=auto",
           "model.pretrained=w.safetensors"},
          evaluation),
      {"train.precision"});
  expect_message(problems_of({"dist.backend=nccl"}), {"dist.backend"});
  EXPECT_EQ(problems_of({"dist.backend=nccl"}, gpu), "");
  EXPECT_EQ(problems_of({"dist.backend=gloo"}, gpu), "");
}

TEST(Validate, DevicesAgreeWithOneAnother) {
  const CheckContext gpu{.workers = 2, .cuda = true};
  expect_message(
      problems_of({"devices.ids=[0, 1]", "devices.kind=cpu"}),
      {"devices.ids", "devices.kind"});
  expect_message(
      problems_of({"devices.ids=[0, 1]", "devices.count=3"}, gpu),
      {"devices.count", "3", "devices.ids", "2"});
  EXPECT_EQ(problems_of({"devices.ids=[0, 1]", "devices.count=2"}, gpu), "");
  expect_message(
      problems_of({"devices.ids=[1, 0, 1]"}, gpu), {"devices.ids", "1"});
  EXPECT_EQ(problems_of({"devices.ids=[0, 0]", "dist.backend=gloo"}, gpu), "");
}

TEST(Validate, NesterovNeedsMomentum) {
  expect_message(
      problems_of(
          {"optim.name=sgd", "optim.nesterov=true", "optim.momentum=0"}),
      {"optim.nesterov", "optim.momentum", "0"});
  EXPECT_EQ(problems_of({"optim.name=sgd", "optim.nesterov=true"}), "");
}

TEST(Validate, OptimizersTakeTheNumbersOfTheirRow) {
  EXPECT_EQ(problems_of({"optim.name=adan"}), "");
  expect_message(
      problems_of({"optim.name=adan", "optim.betas=[0.9, 0.99]"}),
      {"optim.betas", "2", "3"});
  EXPECT_EQ(problems_of({"optim.name=lars", "optim.nesterov=true"}), "");
  expect_message(
      problems_of(
          {"optim.name=rmsprop_tf", "optim.cautious=true", "optim.momentum=0"}),
      {"optim.cautious", "rmsprop_tf"});
}

// Each that works is trained in zero1_test.cpp and optimizer_test.cpp.
TEST(Validate, WhatOptimizersCannotExchangeIsRefused) {
  EXPECT_EQ(problems_of({"optim.name=lamb", "dist.zero1=true"}), "");
  EXPECT_EQ(problems_of({"optim.name=muon", "dist.sync.mode=async_ps"}), "");
  expect_message(
      problems_of({"optim.name=adafactor", "dist.zero1=true"}), {"dist.zero1"});
  expect_message(
      problems_of({"optim.name=adafactor", "dist.sync.mode=async_ps"}),
      {"optim.name"});
  expect_message(
      problems_of({"optim.sam=0.05", "dist.sync.mode=hogwild"}), {"optim.sam"});
  expect_message(
      problems_of({"optim.lookahead.every=5", "dist.sync.mode=hogwild"}),
      {"optim.lookahead.every"});
}

TEST(Validate, LoadedHeadNeedsWeights) {
  expect_message(
      problems_of({"model.head_init=load"}),
      {"model.head_init", "model.pretrained"});
}

TEST(Validate, AFreshHeadIsNotEvaluated) {
  const std::vector<std::string> fresh{
      "model.head_init=fresh", "model.pretrained=w.safetensors"};
  expect_message(
      problems_of(fresh, {.workers = 1, .training = false}),
      {"model.head_init"});
  EXPECT_EQ(problems_of(fresh), "");
}

TEST(Validate, AMeanHasNoDecay) {
  expect_message(
      problems_of({"train.ema.equal=true", "train.ema.decay=0.99"}),
      {"train.ema.equal"});
  EXPECT_EQ(problems_of({"train.ema.equal=true"}), "");
}

// Torture row 31.
TEST(Validate, GlobalBatchIsShared) {
  const CheckContext three{.workers = 3};
  expect_message(
      problems_of({"data.batch_mode=global", "data.batch_size=64"}, three),
      {"data.batch_size", "64", "batch_mode", "63", "66"});
  expect_message(
      problems_of({"data.batch_mode=global", "data.batch_size=2"}, three),
      {"3"});
  EXPECT_EQ(
      problems_of({"data.batch_mode=global", "data.batch_size=66"}, three), "");
}

TEST(Validate, WarmupFitsIntoTheRun) {
  expect_message(
      problems_of({"run.epochs=5", "schedule.warmup=6ep"}),
      {"schedule.warmup", "run.epochs", "5"});
  EXPECT_EQ(problems_of({"run.epochs=5", "schedule.warmup=5ep"}), "");
  expect_message(
      problems_of({"run.max_steps=10", "schedule.warmup=11st"}),
      {"schedule.warmup", "run.max_steps", "10"});
}

// With several machines the first checks run before the number of workers is
// known.
TEST(Validate, RulesThatNeedTheNumberOfWorkersWaitForIt) {
  const CheckContext unknown{.workers = kWorkersUnknown};
  const std::vector<std::vector<std::string>> later{
      {"data.batch_size=3", "data.batch_mode=global"},
      {"data.batch_size=1", "data.batch_mode=global", "data.augment.mixup=0.8"},
      {"dist.sync.mode=async_ps", "dist.sync.servers=5"},
      {"dist.sync.mode=post_local_sgd", "dist.sync.group_size=3"},
      {"dist.sync.mode=hierarchical_sgd",
       "dist.sync.group_sizes=[2, 4]",
       "dist.sync.periods=[2, 8]"}};
  for (const std::vector<std::string>& sets : later) {
    EXPECT_EQ(problems_of(sets, unknown), "") << sets.back();
    EXPECT_NE(problems_of(sets, {.workers = 2}), "") << sets.back();
  }
  expect_message(
      problems_of(
          {"dist.sync.mode=post_local_sgd", "dist.sync.group_size=2"},
          {.workers = 1}),
      {"2", "1"});
  expect_message(
      problems_of({"dist.sync.mode=hogwild", "devices.nodes=2"}, unknown), {});
}

// Settings that contradict each other, and a part of the message.
TEST(Validate, ModesThatMakeNoSenseAreRefusedWithTheReason) {
  struct Case {
    std::vector<std::string> sets;
    CheckContext context;
    std::string reason;
  };
  const CheckContext four{.workers = 4};
  const std::vector<Case> cases{
      {{"dist.sync.mode=async_ps", "dist.sync.servers=5"},
       four,
       "dist.sync.servers: 5: each is a thread of a worker of its own, and "
       "there are 4"},
      {{"dist.sync.mode=async_ps", "dist.compress=bf16"},
       four,
       "dist.compress: rounds sums of gradients, and async_ps adds none up"},
      {{"dist.sync.mode=hogwild"},
       {.workers = 4, .cuda = true},
       "dist.sync.mode: hogwild shares the weights in this machine's memory"},
      {{"dist.sync.mode=hogwild", "dist.compress=fp16"},
       four,
       "dist.compress: is for gradients"},
      {{"dist.sync.mode=hogwild", "devices.nodes=2"},
       four,
       "dist.sync.mode: hogwild shares the weights in one machine's memory"},
      {{"dist.sync.mode=async_ps", "dist.batchnorm=sync"},
       four,
       "dist.batchnorm: sync takes statistics over the batches of all devices"},
      {{"dist.sync.mode=async_ps", "dist.zero1=true"},
       four,
       "dist.zero1: each device updates its share of weights that all have"},
      {{"dist.sync.mode=hogwild", "dist.zero1=true"},
       four,
       "with dist.sync.mode: hogwild they differ between its exchanges"},
      {{"dist.mode=single_process", "devices.nodes=2"},
       four,
       "dist.mode: one process trains on the devices of one machine"},
      {{"dist.mode=single_process", "dist.zero1=true"},
       four,
       "dist.zero1: divides the optimizer's state among processes"},
      {{"dist.mode=single_process", "dist.batchnorm=sync"},
       four,
       "dist.batchnorm: in dist.mode: single_process each replica has its own"},
      {{"dist.mode=single_process", "dist.sync.mode=local_sgd"},
       four,
       "dist.sync.mode: the one process of dist.mode: single_process has "
       "nobody to exchange with"},
      {{"dist.mode=single_process", "dist.compress=bf16"},
       four,
       "dist.compress: nothing travels between processes"},
      {{"dist.sync.mode=delayed_allreduce",
        "dist.sync.predict=true",
        "optim.lookahead.every=5",
        "optim.lookahead.buffers=true"},
       four,
       "optim.lookahead.buffers: "}};
  for (const Case& test : cases) {
    EXPECT_THAT(problems_of(test.sets, test.context), HasSubstr(test.reason))
        << test.sets[0];
  }
  const std::vector<std::vector<std::string>> good{
      {"dist.sync.mode=async_ps", "dist.sync.servers=4"},
      {"dist.sync.mode=async_ps", "dist.sync.max_staleness=0"},
      {"dist.sync.mode=hogwild"},
      {"dist.mode=single_process"}};
  for (const auto& sets : good) {
    EXPECT_EQ(problems_of(sets, four), "") << sets[0];
  }
  // Two replicas of one process may share a device.
  EXPECT_EQ(
      problems_of(
          {"dist.mode=single_process", "devices.ids=['0', '0']"},
          {.workers = 2, .cuda = true}),
      "");
}

TEST(Validate, ElasticStepsDoNotDependOnTheWorkers) {
  const auto problems = [](std::vector<std::string> sets,
                           std::int64_t workers) {
    sets.emplace_back("run.determinism=elastic");
    return problems_of(sets, {.workers = workers});
  };
  for (const std::int64_t workers : {1, 2, 4, 8}) {
    EXPECT_EQ(problems({}, workers), "") << workers;
  }
  EXPECT_EQ(problems({"dist.zero1=true"}, 2), "");
  EXPECT_EQ(problems({"run.shards=2"}, kWorkersUnknown), "");
  expect_message(problems({}, 3), {"run.shards", "8", "3"});
  expect_message(problems({}, 16), {"run.shards", "16"});
  expect_message(problems({"run.shards=6"}, 2), {"run.shards", "6"});
  for (const char* set :
       {"dist.sync.mode=local_sgd",
        "dist.sync.mode=async_ps",
        "dist.compress=bf16",
        "dist.batchnorm=sync",
        "dist.batchnorm=broadcast",
        "dist.mode=single_process"}) {
    const std::string key(set, std::strchr(set, '='));
    expect_message(problems({set}, 4), {key, "run.determinism"});
    EXPECT_EQ(problems_of({set}, {.workers = 4}), "") << set;
  }
}

TEST(Validate, AllProblemsAtOnceWithTheirPlaces) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write(
      "a.yaml",
      std::string(kShapes) +
          "train:\n  precision: tf32\nschedule: {warmup: 900ep}\n");
  const Loaded loaded = load(
      {.file = file,
       .overrides = {
           {"dist.backend", "nccl", "-set #1", Override::Form::kYaml}}});
  const std::string text = validate(loaded.recipe, {}, loaded.origins).text();
  EXPECT_THAT(text, HasSubstr(file.native() + ":3:14: train.precision: tf32"));
  EXPECT_THAT(text, HasSubstr(file.native() + ":4:20: schedule.warmup: 900ep"));
  expect_message(text, {"-set", "1", "dist.backend"});
  expect_message(text, {});
}

// A short trial of a recipe with a long warm-up.
TEST(Validate, WarmupBeyondATrialNamesTheOption) {
  const char* remedy = "add -set schedule.warmup=0st";
  EXPECT_THAT(
      problems_of({"schedule.warmup=20st", "run.max_steps=5"}),
      AllOf(
          HasSubstr("schedule.warmup: 20st is more than run.max_steps: 5"),
          HasSubstr(remedy)));
  EXPECT_THAT(
      problems_of({"schedule.warmup=20ep", "run.epochs=5"}), HasSubstr(remedy));
  EXPECT_EQ(problems_of({"schedule.warmup=0st", "run.max_steps=5"}), "");
}

// Rules ignore the placeholder of a value that could not be read.
TEST(Validate, RulesAboutWhatCouldNotBeReadWait) {
  const Recipe recipe = recipe_with(
      {"data.train.kind=shapes",
       "data.eval.kind=folder",
       "optim.name=sgd",
       "optim.nesterov=true",
       "optim.momentum=0",
       "dist.zero1=true",
       "dist.sync.mode=diloco"});
  const auto without = [&](const std::set<std::string>& unread) {
    const Problems problems = validate(recipe, {.unread = unread});
    return problems.empty() ? "" : problems.text();
  };
  const std::string all = without({"optim.lr"});
  for (const char* key : {"data.eval.path", "optim.nesterov", "dist.zero1"}) {
    EXPECT_THAT(all, HasSubstr(std::string(key) + ": "));
  }
  EXPECT_THAT(without({"data.eval.kind"}), Not(HasSubstr("data.eval.path")));
  EXPECT_THAT(without({"optim.momentum"}), Not(HasSubstr("optim.nesterov")));
  EXPECT_THAT(without({"optim"}), Not(HasSubstr("optim.nesterov")));
  EXPECT_THAT(without({"dist.sync.mode"}), Not(HasSubstr("dist.zero1")));
  EXPECT_EQ(without({"data", "optim", "dist"}), "");
}

TEST(Validate, EqualReplicasAreNeededByWhatReliesOnThem) {
  const CheckContext two{.workers = 2};
  for (const char* set :
       {"dist.zero1=true",
        "dist.batchnorm=sync",
        "dist.batchnorm=broadcast",
        "dist.batchnorm=broadcast_average",
        "dist.check_every=10st"}) {
    EXPECT_EQ(problems_of({set}, two), "") << set;
    EXPECT_EQ(problems_of({set, "dist.sync.mode=delayed_allreduce"}, two), "")
        << set;
    EXPECT_THAT(
        problems_of(
            {set, "dist.sync.mode=delayed_allreduce", "dist.sync.predict=true"},
            two),
        HasSubstr("with dist.sync.predict they differ between its exchanges"))
        << set;
    const std::string key =
        std::string(set).substr(0, std::string(set).find('='));
    for (const char* mode :
         {"local_sgd", "post_local_sgd", "hierarchical_sgd", "diloco"}) {
      EXPECT_THAT(
          problems_of({set, std::string("dist.sync.mode=") + mode}, two),
          ::testing::AllOf(
              HasSubstr(key + ": "),
              HasSubstr(std::string("dist.sync.mode: ") + mode),
              HasSubstr("use allreduce, or delayed_allreduce without")))
          << set << " " << mode;
    }
  }
}

// All workers must leave the same steps out, with nothing kept of them.
TEST(Validate, ScaledLossesNeedGradientsOfTheStepOnAllWorkers) {
  const CheckContext gpu{.workers = 2, .cuda = true};
  for (const char* fits : {"dist.zero1=true", "dist.compress=bf16"}) {
    EXPECT_EQ(problems_of({"train.precision=fp16", fits}, gpu), "") << fits;
  }
  for (const char* mode :
       {"dist.compress=powersgd",
        "dist.sync.mode=delayed_allreduce",
        "dist.sync.mode=local_sgd",
        "dist.sync.mode=async_ps"}) {
    EXPECT_THAT(
        problems_of({"train.precision=fp16", mode}, gpu),
        HasSubstr("train.precision: fp16 scales the loss"))
        << mode;
    EXPECT_EQ(problems_of({"train.precision=bf16", mode}, gpu), "") << mode;
  }
  expect_message(
      problems_of({"train.precision=fp16", "train.on_non_finite=skip"}, gpu),
      {"train.on_non_finite", "train.precision"});
}

TEST(Validate, PowerSgdNeedsAllReduce) {
  EXPECT_EQ(problems_of({"dist.compress=powersgd"}), "");
  expect_message(
      problems_of(
          {"dist.compress=powersgd", "dist.sync.mode=delayed_allreduce"}),
      {"dist.compress", "dist.sync.mode", "delayed_allreduce"});
}

TEST(Validate, TopKNeedsAllReduceAndItsMomentumThatOfSgd) {
  EXPECT_EQ(problems_of({"dist.compress=topk"}), "");
  expect_message(
      problems_of({"dist.compress=topk", "dist.sync.mode=delayed_allreduce"}),
      {"dist.sync.mode", "delayed_allreduce"});
  expect_message(
      problems_of({"dist.compress=topk", "train.on_non_finite=skip"}),
      {"dist.compress"});
  const auto corrected = [](std::vector<std::string> sets) {
    sets.insert(
        sets.end(),
        {"dist.compress=topk", "dist.topk.momentum_correction=true"});
    return problems_of(sets);
  };
  EXPECT_EQ(corrected({"optim.name=sgd"}), "");
  expect_message(
      corrected({"optim.name=adamw"}), {"optim.name", "optim.momentum", "0"});
  expect_message(
      corrected({"optim.name=sgd", "optim.momentum=0"}),
      {"optim.name", "optim.momentum", "0"});
  expect_message(corrected({"optim.name=sgd", "optim.clip_norm=1"}), {});
}

TEST(Validate, PruningNeedsEqualReplicasAndRowsTheirLayer) {
  EXPECT_EQ(problems_of({"train.prune.amount=0.5"}), "");
  EXPECT_EQ(problems_of({"train.prune.amount=0.5", "dist.zero1=true"}), "");
  expect_message(
      problems_of({"train.prune.amount=0.5", "dist.sync.mode=local_sgd"}),
      {"train.prune.amount"});
  expect_message(
      problems_of({"train.prune.amount=0.5", "train.prune.unit=row"}),
      {"train.prune.scope"});
  EXPECT_EQ(
      problems_of(
          {"train.prune.amount=0.5",
           "train.prune.unit=row",
           "train.prune.scope=layer"}),
      "");
}

// One problem for one mistake, at the key that has it, with its values.
TEST(Validate, LevelsOfHierarchicalSgdRise) {
  const auto levels = [](const std::string& set, std::int64_t workers) {
    return problems_of(
        {"dist.sync.mode=hierarchical_sgd", set}, {.workers = workers});
  };
  expect_message(
      levels("dist.sync.group_sizes=[2, 2]", 4),
      {"dist.sync.group_sizes", "2", "1"});
  expect_message(
      levels("dist.sync.group_sizes=[4, 2]", 4),
      {"dist.sync.group_sizes", "4", "2", "1"});
  expect_message(
      levels("dist.sync.periods=[16, 4]", 4), {"dist.sync.periods", "16", "4"});
  expect_message(levels("dist.sync.group_sizes=[3, -1]", 4), {"3", "4"});
  expect_message(levels("dist.sync.group_sizes=[1, 2]", 4), {"2", "4"});
}

// Defaults follow the number of workers.
TEST(Validate, DefaultLevelsOfHierarchicalSgdFitAnyNumberOfWorkers) {
  const Recipe recipe = recipe_with({"dist.sync.mode=hierarchical_sgd"});
  const auto levels = [&](std::int64_t workers) {
    return sync_levels(recipe.dist.sync, workers);
  };
  for (std::int64_t workers = 1; workers <= 17; ++workers) {
    EXPECT_EQ(
        problems_of({"dist.sync.mode=hierarchical_sgd"}, {.workers = workers}),
        "")
        << workers;
    ASSERT_FALSE(levels(workers).empty());
    EXPECT_EQ(levels(workers).back().size, workers);
  }
  using Levels = std::vector<SyncLevel>;
  EXPECT_EQ(levels(1), (Levels{{.period = 4, .size = 1}}));
  EXPECT_EQ(levels(2), (Levels{{.period = 4, .size = 2}}));
  EXPECT_EQ(levels(3), (Levels{{.period = 16, .size = 3}}));
  EXPECT_EQ(
      levels(6), (Levels{{.period = 4, .size = 2}, {.period = 16, .size = 6}}));
  expect_message(
      problems_of(
          {"dist.sync.mode=hierarchical_sgd", "dist.sync.group_sizes=[2, 3]"},
          {.workers = 2}),
      {"3", "2"});
}

TEST(Validate, HierarchicalSgdRunsOnOneWorkerAsTheOtherModes) {
  for (const char* mode :
       {"local_sgd",
        "post_local_sgd",
        "hierarchical_sgd",
        "diloco",
        "overlap_average",
        "async_ps",
        "hogwild"}) {
    EXPECT_EQ(
        problems_of({std::string("dist.sync.mode=") + mode}, {.workers = 1}),
        "")
        << mode;
  }
}

TEST(Validate, WhatAScheduleChangesHasToBeThere) {
  const std::vector<std::string> early{
      "schedule.drop_path.shape=early_linear", "model.drop_path=0.1"};
  expect_message(
      problems_of(early), {"schedule.drop_path.cutoff", "early_linear"});
  EXPECT_EQ(
      problems_of({early[0], early[1], "schedule.drop_path.cutoff=2ep"}), "");
  expect_message(
      problems_of({"schedule.drop_path.shape=rising"}),
      {"schedule.drop_path.shape", "model.drop_path"});
  expect_message(
      problems_of({"schedule.weight_decay.end=0.4", "optim.weight_decay=0"}),
      {"schedule.weight_decay.end"});
  expect_message(
      problems_of({"schedule.weight_decay.end=0.4", "dist.sync.mode=async_ps"}),
      {"async_ps"});
}

} // namespace
} // namespace vitrain::config

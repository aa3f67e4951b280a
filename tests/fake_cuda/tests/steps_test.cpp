// Counts of a training step's device and host calls, as upper bounds. A change
// that reduces a count lowers its bound.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using e2e::Options;
using e2e::Words;
using testing::Each;
using testing::Le;

// A run that says nothing for ten steps.
Options quiet(const e2e::Words& settings) {
  return Options{
      .set =
          {"log.every=100",
           "run.max_steps=10",
           "run.epochs=1",
           "schedule.warmup=0st"}}
      .with({.set = settings});
}

// At most this in each step.
struct Gates {
  std::int64_t waits;
  std::int64_t pageable;
  std::int64_t host_to_device;
  std::int64_t launches;
  std::int64_t products;
  std::int64_t plans; // of cuDNN
};

void expect_gates(const Json& report, const Gates& gates) {
  const std::vector<std::pair<const char*, std::int64_t>> rows{
      {"waits", gates.waits},
      {"pageable", gates.pageable},
      {"host_to_device", gates.host_to_device},
      {"device_to_host", 0},
      {"allocations", 0},
      {"pinned_allocations", 0},
      {"launches", gates.launches},
      {"products", gates.products},
      {"plans", gates.plans}};
  for (const auto& [count, at_most] : rows) {
    const auto taken = per_step(report, count);
    EXPECT_EQ(taken.size(), 7U);
    EXPECT_THAT(taken, Each(Le(at_most))) << count;
  }
}

// Two plans of attention, forward and backward, for two blocks: the last one
// has one query, and plain products.
TEST(StepOnGpu, OfAVit) {
  Machine machine(1);
  machine.train(quiet({"train.precision=bf16"}));
  ASSERT_EQ(machine.reports().size(), 1U);
  expect_gates(
      machine.reports()[0],
      {.waits = 0,
       .pageable = 0,
       .host_to_device = 1,
       .launches = 157,
       .products = 38,
       .plans = 2});
}

// Loss scaling and its update do not wait.
TEST(StepOnGpu, OfAVitInFp16) {
  Machine machine(1);
  machine.train(quiet({"train.precision=fp16"}));
  ASSERT_EQ(machine.reports().size(), 1U);
  expect_gates(
      machine.reports()[0],
      {.waits = 0,
       .pageable = 0,
       .host_to_device = 1,
       .launches = 166,
       .products = 38,
       .plans = 2});
}

TEST(StepOnGpu, OfAVitWithAllAugmentation) {
  Machine machine(1);
  machine.train(quiet(
      {"train.precision=bf16",
       "model.drop_path=0.1",
       "model.dropout=0.1",
       "data.augment.mixup=0.8",
       "data.augment.cutmix=1.0",
       "data.augment.erasing=1.0"}));
  ASSERT_EQ(machine.reports().size(), 1U);
  expect_gates(
      machine.reports()[0],
      {.waits = 0,
       .pageable = 0,
       .host_to_device = 1,
       .launches = 241,
       .products = 38,
       .plans = 2});
}

TEST(StepOnGpu, OfAResNetOfTwoWorkers) {
  Machine machine(2);
  Options options = quiet(
      {"train.precision=bf16", "optim.name=adamw", "data.train.count=240"});
  options.config = e2e::kTinyResNet;
  machine.train(options);
  ASSERT_EQ(machine.reports().size(), 2U);
  for (const Json& report : machine.reports()) {
    expect_gates(
        report,
        {.waits = 0,
         .pageable = 0,
         .host_to_device = 1,
         .launches = 269,
         .products = 3,
         .plans = 59});
  }
}

struct Erase {
  std::string name;
  Words settings;
  Gates gates;
};

void PrintTo(const Erase& erase, std::ostream* out) {
  *out << erase.name;
}

class StepThatErases : public testing::TestWithParam<Erase> {};

// Random values for the images are uploaded with them; the number of kernels
// depends neither on them nor on the number of images.
TEST_P(StepThatErases, AsksForNoMoreThanRecorded) {
  for (const char* batch : {"data.batch_size=4", "data.batch_size=16"}) {
    Machine machine(1);
    machine.train(
        quiet({"train.precision=bf16", "data.augment.erasing=0.5", batch})
            .with({.set = GetParam().settings}));
    ASSERT_EQ(machine.reports().size(), 1U);
    expect_gates(machine.reports()[0], GetParam().gates);
  }
}

// Counts of OfAVit plus the kernels of erasing.
INSTANTIATE_TEST_SUITE_P(
    All,
    StepThatErases,
    testing::Values(
        Erase{
            "with_zeros",
            {"data.augment.erasing_mode=const"},
            {0, 0, 1, 157 + 10, 38, 2}},
        Erase{
            "with_colours",
            {"data.augment.erasing_mode=rand", "data.augment.erasing_count=3"},
            {0, 0, 1, 157 + 14, 38, 2}},
        Erase{
            "with_pixels",
            {"data.augment.erasing_mode=pixel", "data.augment.erasing_count=3"},
            {0, 0, 1, 157 + 15, 38, 2}}),
    [](const auto& test) { return test.param.name; });

// Growing images: six steps of each size. The first step of a stage tunes cuDNN
// for its shapes and opens a loader, like a run's first step; other steps equal
// those without stages.
TEST(StepOnGpu, OfImagesThatGrow) {
  Machine machine(1);
  Options options = quiet(
      {"run.max_steps=null",
       "run.epochs=3",
       "train.precision=bf16",
       "optim.name=adamw",
       "data.train.count=72",
       "data.augment.image_size=24",
       "data.augment.stages=[{from_epoch: 2, image_size: 40}, "
       "{from_epoch: 3, image_size: 48, erasing: 0.5, mixup: 0.8}]",
       "checkpoint.every=9ep",
       "eval.every=9ep"});
  options.config = e2e::kTinyResNet;
  machine.train(options);
  ASSERT_EQ(machine.reports().size(), 1U);
  const auto expect =
      [&](const char* count, std::int64_t first_of_stage, std::int64_t others) {
        const auto taken = per_step(machine.reports()[0], count);
        ASSERT_EQ(taken.size(), 15U);
        for (std::size_t i = 0; i < taken.size(); ++i) {
          const std::size_t step = i + 3;
          EXPECT_LE(taken[i], step % 6 == 1 ? first_of_stage : others)
              << count << " of step " << step;
        }
      };
  expect("waits", 162, 0);
  expect("pageable", 3, 0);
  expect("host_to_device", 4, 1);
  expect("device_to_host", 0, 0);
  expect("pinned_allocations", 1, 0);
  expect("launches", 296, 296);
}

struct Whole {
  std::string name;
  e2e::Words settings;
  Gates gates;
};

void PrintTo(const Whole& whole, std::ostream* out) {
  *out << whole.name;
}

class StepOfAWholeNetwork : public testing::TestWithParam<Whole> {};

// The numbers of docs/gpu.md, which do not depend on the batch.
TEST_P(StepOfAWholeNetwork, AsksForNoMoreThanRecorded) {
  Machine machine(1);
  Options options = quiet(
      {"train.precision=bf16", "data.train.count=40", "data.batch_size=4"});
  options.config = VITRAIN_SOURCE_DIR "/configs/bench_models.yaml";
  machine.train(options.with({.set = GetParam().settings}));
  ASSERT_EQ(machine.reports().size(), 1U);
  expect_gates(machine.reports()[0], GetParam().gates);
}

// waits, pageable, host_to_device, launches, products, plans
INSTANTIATE_TEST_SUITE_P(
    All,
    StepOfAWholeNetwork,
    testing::Values(
        Whole{
            "vit_s",
            {"model.name=vit_small_patch16_224", "model.drop_path=0.1"},
            {0, 0, 1, 540, 158, 22}},
        Whole{
            "vit_b",
            {"model.name=vit_base_patch16_224", "model.drop_path=0.1"},
            {0, 0, 1, 543, 158, 22}},
        Whole{"resnet50", {"model.name=resnet50"}, {0, 0, 1, 665, 3, 158}}),
    [](const auto& test) { return test.param.name; });

// Twelve batches; results are read after the last one.
TEST(EvaluationOnGpu, WaitsForNoBatch) {
  Machine machine(1, {{"FAKE_CUDA_STEP", "nll_loss"}});
  machine.train(quiet(
      {"run.max_steps=1", "data.eval.count=96", "data.eval_batch_size=8"}));
  ASSERT_EQ(machine.reports().size(), 1U);
  const Json& report = machine.reports()[0];
  for (const char* count : {"waits", "pageable", "device_to_host"}) {
    auto taken = per_step(report, count);
    ASSERT_GE(taken.size(), 10U);
    taken.erase(taken.begin()); // the line of the training before it
    EXPECT_THAT(taken, Each(0)) << count;
  }
  EXPECT_THAT(per_step(report, "host_to_device"), Each(Le(1)));
}

// Counts per batch, from runs with 16 and with four batches of four images.
TEST(PredictionOnGpu, WaitsForItsResultsAlone) {
  Machine machine(2);
  const auto weights = machine.train(
      quiet({"run.max_steps=1", "data.train.count=64", "data.eval.count=16"}));
  const auto predict = [&](int images, const char* gpus) {
    Words words{"predict", "-pretrained", weights, "-gpus", gpus};
    words.insert(words.end(), {"-batch_size", "4", "-jsonl", "-"});
    const std::string image =
        VITRAIN_SOURCE_DIR "/tests/golden/image/files/rgb_8.png";
    words.insert(words.end(), static_cast<std::size_t>(images), image);
    const e2e::Result result = e2e::run(machine.command(words));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    machine.take_reports();
    EXPECT_EQ(machine.reports().size(), 1U);
    return machine.reports().at(0);
  };
  for (const char* gpus : {"1", "0,1"}) {
    SCOPED_TRACE(gpus);
    const Json few = predict(16, gpus);
    const Json many = predict(64, gpus);
    const auto taken = [&](const char* count) {
      return many.at("counts").at(count).get<std::int64_t>() -
          few.at("counts").at(count).get<std::int64_t>();
    };
    EXPECT_EQ(many.at("devices"), gpus[1] == 0 ? Json({1}) : Json({0, 1}));
    EXPECT_EQ(taken("pageable"), 0);
    EXPECT_EQ(taken("host_to_device"), 12);
    EXPECT_EQ(taken("device_to_host"), 12);
    EXPECT_EQ(taken("waits"), 12);
    // Slots, and the results of each lane that had a batch.
    EXPECT_LE(
        many.at("counts").at("pinned_allocations"),
        1 + 2 * std::ssize(many.at("devices")));
  }
}

} // namespace
} // namespace vitrain::fake_cuda

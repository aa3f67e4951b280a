// What a training step asks of the device and of the host, counted: gates that
// hold what has been reached. A change that brings a number down lowers its
// gate.

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
       .launches = 216,
       .products = 38,
       .plans = 2});
}

// The scale of the loss, its update, and what is asked of them: no wait.
TEST(StepOnGpu, OfAVitInFp16) {
  Machine machine(1);
  machine.train(quiet({"train.precision=fp16"}));
  ASSERT_EQ(machine.reports().size(), 1U);
  expect_gates(
      machine.reports()[0],
      {.waits = 0,
       .pageable = 0,
       .host_to_device = 1,
       .launches = 223,
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
       .launches = 321,
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
         .launches = 336,
         .products = 3,
         .plans = 59});
  }
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
            {0, 0, 1, 799, 158, 22}},
        Whole{
            "vit_b",
            {"model.name=vit_base_patch16_224", "model.drop_path=0.1"},
            {0, 0, 1, 802, 158, 22}},
        Whole{"resnet50", {"model.name=resnet50"}, {0, 0, 1, 890, 3, 158}}),
    [](const auto& test) { return test.param.name; });

// Twelve batches; what they have found is asked for when they are done.
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

} // namespace
} // namespace vitrain::fake_cuda

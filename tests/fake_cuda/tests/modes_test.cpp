// Every way of training on two devices, and some on one and eight: trains,
// evaluates, saves, and goes on.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using e2e::Options;
using e2e::Words;

struct Mode {
  std::string name;
  Words settings;
  std::filesystem::path config = {};
  std::size_t processes = 2;
  // c10d's threads for Gloo set device 0 when they are done with another.
  bool only_own_device = true;
};

void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

// Each process works on its own device, or one on all of them.
void train_evaluate_save_and_go_on(const Mode& mode, int devices) {
  Machine machine(devices);
  const Options options = Options{
      .config = mode.config,
      .set = {
          "data.train.count=" + std::to_string(80 * devices),
          "data.eval.count=20",
          "data.batch_size=8",
          "data.eval_batch_size=8",
          "run.max_steps=5",
          "run.epochs=1",
          "schedule.warmup=0st",
          "checkpoint.every=3st",
          "eval.every=3st"}}.with({.set = mode.settings});
  const auto run = machine.train(options);
  const auto check_devices = [&] {
    ASSERT_EQ(machine.reports().size(), mode.processes);
    for (std::size_t i = 0; i < mode.processes; ++i) {
      Json expected({i});
      for (int more = 1; mode.processes == 1 && more < devices; ++more) {
        expected.push_back(more);
      }
      if (mode.only_own_device) {
        EXPECT_EQ(machine.reports()[i].at("devices"), expected);
      }
    }
  };
  check_devices();
  EXPECT_EQ(e2e::records(run, "eval").size(), 2);
  machine.resume(run, options, 3);
  check_devices();
  EXPECT_EQ(e2e::steps_in_order(run), 5);
}

class TwoGpus : public testing::TestWithParam<Mode> {};

TEST_P(TwoGpus, TrainEvaluateSaveAndGoOn) {
  train_evaluate_save_and_go_on(GetParam(), 2);
}

class OneGpu : public testing::TestWithParam<Mode> {};

TEST_P(OneGpu, TrainEvaluateSaveAndGoOn) {
  train_evaluate_save_and_go_on(GetParam(), 1);
}

class EightGpus : public testing::TestWithParam<Mode> {};

TEST_P(EightGpus, TrainEvaluateSaveAndGoOn) {
  train_evaluate_save_and_go_on(GetParam(), 8);
}

// Things that do not touch one another share a run.
INSTANTIATE_TEST_SUITE_P(
    All,
    TwoGpus,
    testing::Values(
        Mode{"allreduce", {"train.precision=bf16"}},
        Mode{
            "allreduce__bf16",
            {"dist.compress=bf16",
             "train.accumulate=2",
             "model.drop_path=0.1",
             "data.augment.mixup=0.8",
             "data.augment.cutmix=1.0"}},
        Mode{
            "allreduce__fp16",
            {"dist.compress=fp16",
             "data.augment.erasing=0.5",
             "data.augment.mixup=0.8",
             "data.augment.mix_mode=elem"}},
        Mode{
            "allreduce__powersgd",
            {"dist.compress=powersgd",
             "model.dropout=0.1",
             "model.attention_dropout=0.1"}},
        Mode{
            "allreduce__topk",
            {"dist.compress=topk",
             "dist.topk.momentum_correction=true",
             "optim.name=sgd",
             "optim.clip_norm=null"}},
        Mode{
            "allreduce__gloo",
            {"dist.backend=gloo"},
            {},
            /*processes=*/2,
            /*only_own_device=*/false},
        Mode{
            "fp16_products",
            {"train.precision=fp16",
             "train.loss_scale=1024",
             "train.loss_scale_interval=2",
             "optim.clip_norm=1.0",
             "optim.sam=0.05",
             "train.accumulate=2",
             "eval.precision=auto"}},
        Mode{
            "fp16_products__zero1",
            {"train.precision=fp16",
             "dist.zero1=true",
             "dist.compress=fp16",
             "train.accumulate=2"}},
        Mode{"zero1", {"dist.zero1=true", "train.precision=bf16"}},
        Mode{"zero1__bf16", {"dist.zero1=true", "dist.compress=bf16"}},
        Mode{"delayed_allreduce", {"dist.sync.mode=delayed_allreduce"}},
        Mode{
            "delayed_allreduce__predict",
            {"dist.sync.mode=delayed_allreduce", "dist.sync.predict=true"}},
        Mode{"local_sgd", {"dist.sync.mode=local_sgd", "dist.sync.period=2"}},
        Mode{
            "post_local_sgd",
            {"dist.sync.mode=post_local_sgd",
             "dist.sync.start=1st",
             "dist.sync.period=2"}},
        Mode{
            "hierarchical_sgd",
            {"dist.sync.mode=hierarchical_sgd",
             "dist.sync.periods=[2]",
             "dist.sync.group_sizes=[-1]"}},
        Mode{"diloco", {"dist.sync.mode=diloco", "dist.sync.period=2"}},
        Mode{
            "overlap_average",
            {"dist.sync.mode=overlap_average",
             "dist.sync.period=3",
             "dist.sync.delay=1"}},
        Mode{
            "async_ps",
            {"dist.sync.mode=async_ps", "dist.sync.max_staleness=3"}},
        Mode{
            "async_ps__drop",
            {"dist.sync.mode=async_ps",
             "dist.sync.servers=2",
             "dist.sync.max_staleness=1",
             "dist.sync.on_stale=drop"}},
        Mode{
            "single_process",
            {"dist.mode=single_process",
             "model.dropout=0.1",
             "train.precision=fp16"},
            {},
            /*processes=*/1},
        Mode{"resnet", {"train.precision=bf16"}, e2e::kTinyResNet},
        Mode{"resnet__sync", {"dist.batchnorm=sync"}, e2e::kTinyResNet},
        Mode{
            "resnet__broadcast",
            {"dist.batchnorm=broadcast", "data.augment.erasing=0.5"},
            e2e::kTinyResNet}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    All,
    OneGpu,
    testing::Values(
        Mode{"allreduce", {"train.precision=bf16"}, {}, /*processes=*/1},
        Mode{
            "fp16_products__accumulate",
            {"train.precision=fp16",
             "train.accumulate=2",
             "data.train.count=160",
             "data.augment.mixup=0.8"},
            {},
            /*processes=*/1},
        Mode{
            "resnet",
            {"train.precision=bf16", "data.augment.erasing=0.5"},
            e2e::kTinyResNet,
            /*processes=*/1}),
    [](const auto& test) { return test.param.name; });

// What divides its work by the number of ranks, or groups them.
INSTANTIATE_TEST_SUITE_P(
    All,
    EightGpus,
    testing::Values(
        Mode{
            "zero1__bf16",
            {"dist.zero1=true", "dist.compress=bf16", "train.precision=bf16"},
            {},
            /*processes=*/8},
        Mode{
            "hierarchical_sgd",
            {"dist.sync.mode=hierarchical_sgd",
             "dist.sync.periods=[2, 4]",
             "dist.sync.group_sizes=[4, -1]"},
            {},
            /*processes=*/8},
        Mode{
            "async_ps",
            {"dist.sync.mode=async_ps",
             "dist.sync.servers=3",
             "dist.sync.max_staleness=3"},
            {},
            /*processes=*/8},
        Mode{
            "single_process",
            {"dist.mode=single_process"},
            {},
            /*processes=*/1}),
    [](const auto& test) { return test.param.name; });

} // namespace
} // namespace vitrain::fake_cuda

// Every mode on one, two and eight devices: trains, evaluates, saves, and
// resumes.

#include <ostream>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using e2e::Options;
using e2e::Words;

struct Mode {
  std::string name;
  Words settings;
  std::filesystem::path config = {};
  Words on_one = {}; // settings more
  Words on_eight = {};
  bool one_process = false; // on all devices
  // c10d's threads for Gloo set device 0 when they are done with another.
  bool only_own_device = true;
};

void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

class Modes : public testing::TestWithParam<std::tuple<Mode, int>> {
 protected:
  // Each process works on its own device, or one on all of them.
  void check_devices() const {
    const std::size_t processes = mode_.one_process ? 1 : devices_;
    ASSERT_EQ(machine_.reports().size(), processes);
    for (std::size_t i = 0; i < processes; ++i) {
      Json expected({i});
      for (int more = 1; mode_.one_process && more < devices_; ++more) {
        expected.push_back(more);
      }
      if (mode_.only_own_device) {
        EXPECT_EQ(machine_.reports()[i].at("devices"), expected);
      }
    }
  }

  const Mode mode_ = std::get<0>(GetParam());
  const int devices_ = std::get<1>(GetParam());
  Machine machine_{devices_};
};

TEST_P(Modes, TrainEvaluateSaveAndGoOn) {
  Options options =
      Options{
          .config = mode_.config,
          .set =
              {"data.train.count=" + std::to_string(80 * devices_),
               "data.eval.count=20",
               "data.batch_size=8",
               "data.eval_batch_size=8",
               "run.max_steps=5",
               "run.epochs=1",
               "schedule.warmup=0st",
               "checkpoint.every=3st",
               "eval.every=3st"}}
          .with({.set = mode_.settings});
  if (devices_ == 1) {
    options = options.with({.set = mode_.on_one});
  }
  if (devices_ == 8) {
    options = options.with({.set = mode_.on_eight});
  }
  const auto run = machine_.train(options);
  check_devices();
  EXPECT_EQ(e2e::records(run, "eval").size(), 2);
  machine_.resume(run, options, 3);
  check_devices();
  EXPECT_EQ(e2e::steps_in_order(run), 5);
}

// Things that do not touch one another share a run.
INSTANTIATE_TEST_SUITE_P(
    All,
    Modes,
    testing::Combine(
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
                .name = "allreduce__gloo",
                .settings = {"dist.backend=gloo"},
                .only_own_device = false},
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
            Mode{
                "local_sgd",
                {"dist.sync.mode=local_sgd", "dist.sync.period=2"}},
            Mode{
                "post_local_sgd",
                {"dist.sync.mode=post_local_sgd",
                 "dist.sync.start=1st",
                 "dist.sync.period=2"}},
            Mode{
                .name = "hierarchical_sgd",
                .settings =
                    {"dist.sync.mode=hierarchical_sgd",
                     "dist.sync.periods=[2]",
                     "dist.sync.group_sizes=[-1]"},
                .on_eight =
                    {"dist.sync.periods=[2, 4]",
                     "dist.sync.group_sizes=[4, -1]"}},
            Mode{"diloco", {"dist.sync.mode=diloco", "dist.sync.period=2"}},
            Mode{
                "overlap_average",
                {"dist.sync.mode=overlap_average",
                 "dist.sync.period=3",
                 "dist.sync.delay=1"}},
            Mode{
                .name = "async_ps",
                .settings =
                    {"dist.sync.mode=async_ps", "dist.sync.max_staleness=3"},
                .on_eight = {"dist.sync.servers=3"}},
            Mode{
                .name = "async_ps__drop",
                .settings =
                    {"dist.sync.mode=async_ps",
                     "dist.sync.servers=2",
                     "dist.sync.max_staleness=1",
                     "dist.sync.on_stale=drop"},
                .on_one = {"dist.sync.servers=1"}},
            Mode{
                .name = "single_process",
                .settings =
                    {"dist.mode=single_process",
                     "model.dropout=0.1",
                     "train.precision=fp16"},
                .one_process = true},
            Mode{"resnet", {"train.precision=bf16"}, e2e::kTinyResNet},
            Mode{"resnet__sync", {"dist.batchnorm=sync"}, e2e::kTinyResNet},
            Mode{
                "resnet__broadcast",
                {"dist.batchnorm=broadcast", "data.augment.erasing=0.5"},
                e2e::kTinyResNet},
            Mode{
                "resnet50",
                {"model.name=resnet50", "train.precision=bf16"},
                e2e::kTinyResNet}),
        testing::Values(1, 2, 8)),
    [](const auto& test) {
      return fmt::format(
          "{}__{}", std::get<0>(test.param).name, std::get<1>(test.param));
    });

} // namespace
} // namespace vitrain::fake_cuda

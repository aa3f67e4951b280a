// Visible devices, and messages if none can be used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>

#include "core/error.h"
#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Refusal {
  std::string name;
  e2e::Environment environment;
  e2e::Words options;
  std::vector<std::string> words;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.name;
}

class RefusedGpus : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedGpus, EndWithAdviceAndExitCode2) {
  const Refusal& refusal = GetParam();
  const Machine machine(3, refusal.environment);
  const e2e::Result result =
      e2e::run(machine.training({.more = refusal.options}));
  EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::kUsage))
      << result.out << result.err;
  for (const std::string& word : refusal.words) {
    EXPECT_THAT(result.out + result.err, HasSubstr(word));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RefusedGpus,
    testing::Values(
        Refusal{
            "driver_too_old",
            {{"FAKE_CUDA_DRIVER", "12020"}},
            {},
            {"the NVIDIA driver is too old",
             "CUDA up to 12.2",
             "needs 13.0",
             "-devices cpu"}},
        Refusal{
            "no_driver_library",
            {{"FAKE_CUDA_DRIVER", "0"}},
            {},
            {"libcuda.so.1", "--gpus all"}},
        Refusal{
            "gpu_too_old",
            {{"FAKE_CUDA_CAPABILITY", "7.0"}},
            {},
            {"compute capability 7.0", "CUDA 13.0 begins at 7.5"}},
        Refusal{
            "bf16_before_ampere",
            {{"FAKE_CUDA_CAPABILITY", "7.5"}},
            {"-set", "train.precision=bf16"},
            {"train.precision: bf16", "compute capability 7.5"}},
        Refusal{
            "one_device_by_two_names",
            {},
            {"-gpus", "0,GPU-00000000-0000-0000-0000-000000000000"},
            {"are one device, cuda:0", "dist.backend: gloo"}},
        Refusal{
            "repeated",
            {{"CUDA_VISIBLE_DEVICES", "0,0"}},
            {},
            {"repeats a device"}},
        Refusal{
            "hole",
            {{"CUDA_VISIBLE_DEVICES", "0,9,1"}},
            {},
            {"'9' names no device"}},
        Refusal{
            "two_slices",
            {{"FAKE_CUDA_SLICES", "2"},
             {"CUDA_VISIBLE_DEVICES",
              "MIG-00000000-0000-0000-0001-000000000001,"
              "MIG-00000000-0000-0000-0000-000000000000"}},
            {},
            {"a process sees one MIG slice at most"}},
        Refusal{
            "no_such_slice",
            {{"FAKE_CUDA_SLICES", "2"},
             {"CUDA_VISIBLE_DEVICES",
              "MIG-00000000-0000-0000-0007-000000000000"}},
            {},
            {"MIG-00000000-0000-0000-0007-000000000000"}},
        Refusal{
            "slices_where_there_are_none",
            {{"CUDA_VISIBLE_DEVICES",
              "MIG-00000000-0000-0000-0000-000000000000"}},
            {},
            {"MIG-00000000-0000-0000-0000-000000000000"}}),
    [](const auto& test) { return test.param.name; });

// Physical devices 2 and 0 are ordinals 0 and 1.
TEST(VisibleGpus, AreThoseThatTheVariableNames) {
  const std::string uuid = "GPU-00000000-0000-0000-0000-000000000002";
  Machine machine(
      3,
      {{"CUDA_VISIBLE_DEVICES",
        uuid + ",GPU-00000000-0000-0000-0000-000000000000"}});
  machine.train(
      {.set = {"run.max_steps=2", "run.epochs=1", "schedule.warmup=0st"}});
  EXPECT_EQ(machine.reports().size(), 2U);
  const e2e::Result listed = e2e::run(machine.command({"devices"}));
  EXPECT_THAT(
      listed.out,
      AllOf(HasSubstr("cuda:0"), HasSubstr("id 2"), HasSubstr(uuid)));
}

struct Slice {
  std::string name;
  std::optional<std::string> variable;
  std::string uuid; // of the slice that is seen
};

void PrintTo(const Slice& slice, std::ostream* out) {
  *out << slice.name;
}

class MigOnGpu : public testing::TestWithParam<Slice> {};

// Three GPUs of two slices each. A whole GPU's index means its first slice.
TEST_P(MigOnGpu, TrainsOnTheSliceThatIsNamed) {
  e2e::Environment environment{{"FAKE_CUDA_SLICES", "2"}};
  if (GetParam().variable) {
    environment["CUDA_VISIBLE_DEVICES"] = *GetParam().variable;
  }
  Machine machine(3, environment);
  machine.train(
      {.set = {"run.max_steps=2", "run.epochs=1", "schedule.warmup=0st"}});
  EXPECT_EQ(machine.reports().size(), 1U);
  const e2e::Result listed = e2e::run(machine.command({"devices"}));
  EXPECT_THAT(
      listed.out, AllOf(HasSubstr("cuda:0"), HasSubstr(GetParam().uuid)));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    MigOnGpu,
    testing::Values(
        Slice{"not_set", {}, "MIG-00000000-0000-0000-0000-000000000000"},
        Slice{
            "whole_name",
            "MIG-00000000-0000-0000-0001-000000000002",
            "MIG-00000000-0000-0000-0001-000000000002"},
        Slice{"index", "2", "MIG-00000000-0000-0000-0000-000000000002"},
        Slice{
            "another_name",
            "MIG-00000000-0000-0000-0001-000000000001",
            "MIG-00000000-0000-0000-0001-000000000001"}),
    [](const auto& test) { return test.param.name; });

// Without the fake: a build for GPUs on a machine that has none.
TEST(NoGpu, RunsOnTheCpuAndSaysWhy) {
  const e2e::Result listed = e2e::run(e2e::vitrain({"devices"}));
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr ||
      listed.out.find("cuda:0") != std::string::npos) {
    GTEST_SKIP() << "this machine has a GPU, or hides it: " << listed.out;
  }
  const TempFolder folder;
  const e2e::Options options{
      .set = {"run.max_steps=1", "run.epochs=1", "schedule.warmup=0st"},
      .more = {"-dry_run"}};
  const auto run = [&](const e2e::Options& more,
                       const e2e::Environment& environment) {
    return e2e::run(e2e::vitrain(
        e2e::tiny_run(folder.path(), options.with(more)), environment));
  };
  const e2e::Result told = run({}, {});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("CPU worker"));
  EXPECT_THAT(
      told.out + told.err,
      AllOf(
          HasSubstr("This build works with GPUs, and runs on the CPU here"),
          HasSubstr("there is no NVIDIA driver")));
  // No message if the CPU was requested.
  for (const e2e::Result& meant :
       {run({.devices = "cpu:1"}, {}),
        run({}, {{"CUDA_VISIBLE_DEVICES", ""}})}) {
    EXPECT_EQ(meant.exit_code, 0) << meant.err;
    EXPECT_THAT(
        meant.out + meant.err, testing::Not(HasSubstr("works with GPUs")));
  }
}

TEST(DryRunOnGpus, SaysWhatTheWorkersWillUse) {
  const Machine machine(2, {{"FAKE_CUDA_CAPABILITY", "7.5"}});
  const e2e::Result result = e2e::run(machine.training(
      {.set = {"dist.backend=gloo", "train.precision=auto"},
       .more = {"-dry_run"}}));
  EXPECT_THAT(result.out, HasSubstr("gloo"));
  EXPECT_THAT(result.out, HasSubstr("fp32 (auto: GPU of capability 7.5"));
}

} // namespace
} // namespace vitrain::fake_cuda

// Runs in which a device or a worker fails: exit code, message and files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <ostream>
#include <string>
#include <thread>

#include "core/error.h"
#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using testing::HasSubstr;

struct Fault {
  std::string name;
  std::string fault; // FAKE_CUDA_FAULT
  ExitCode code;
  std::vector<std::string> words;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class FaultOnGpu : public testing::TestWithParam<Fault> {};

// Rank 1 of two workers fails in a step. The other worker ends within five
// seconds (besides start-up), and no partial checkpoint is left.
TEST_P(FaultOnGpu, EndsTheRunWithItsReason) {
  const Fault& fault = GetParam();
  Machine machine(2, {{"FAKE_CUDA_FAULT", fault.fault}});
  const e2e::Result result = e2e::run(
      machine.training(
          {.set =
               {"run.max_steps=400",
                "run.epochs=20",
                "checkpoint.every=40st"}}),
      /*seconds=*/40.0);
  EXPECT_EQ(result.exit_code, static_cast<int>(fault.code))
      << result.out << result.err;
  for (const std::string& word : fault.words) {
    EXPECT_THAT(result.out + result.err, HasSubstr(word));
  }
  EXPECT_THAT(result.out + result.err, HasSubstr("rank 1"));
  std::error_code none_yet;
  for (const auto& entry : std::filesystem::directory_iterator(
           e2e::newest_run(machine.output()) / "checkpoints", none_yet)) {
    EXPECT_THAT(entry.path().filename().native(), testing::StartsWith("step-"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    FaultOnGpu,
    testing::Values(
        // The allocator takes memory in pieces: the second is for activations.
        Fault{
            "out_of_memory",
            "oom:1:2",
            ExitCode::kOutOfMemory,
            {"out of memory"}},
        Fault{
            "illegal_access",
            "sticky:1:2000",
            ExitCode::kWorkerDied,
            {"an illegal memory access"}},
        Fault{
            "lost_device",
            "lost:1:2000",
            ExitCode::kWorkerDied,
            {"busy or unavailable"}},
        Fault{
            "nccl",
            "nccl:1:60",
            ExitCode::kWorkerDied,
            {"unhandled system error"}},
        Fault{
            "dies_in_a_collective",
            "dies:1:60",
            ExitCode::kWorkerDied,
            {"killed"}}),
    [](const auto& test) { return test.param.name; });

// A worker that is killed within a collective leaves the other one waiting in
// it, for a minute by its timeouts: the run ends it within five seconds.
TEST(FaultOnGpu, OthersEndWithinFiveSecondsOfADeath) {
  Machine machine(2, {{"FAKE_CUDA_FAULT", "dies:1:600"}});
  const e2e::Program program(
      machine.training({.set = {"run.max_steps=4000", "run.epochs=200"}}));
  const auto workers = e2e::training_workers(program, machine.output(), 2);
  ASSERT_EQ(workers.size(), 2U);
  while (::kill(workers[1], 0) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto death = std::chrono::steady_clock::now();
  while (::kill(workers[0], 0) == 0 &&
         std::chrono::steady_clock::now() - death < std::chrono::seconds(30)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - death, std::chrono::seconds(5));
}

} // namespace
} // namespace vitrain::fake_cuda

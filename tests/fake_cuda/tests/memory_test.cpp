// Device memory runs out: exit code and files of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "core/error.h"
#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using testing::HasSubstr;
using testing::IsSubsetOf;

// Makes every tensor a separate allocation, so that each of them can fail.
const std::string kNoCaching = "PYTORCH_NO_CUDA_MEMORY_CACHING";

// Names in shared memory that NCCL, torch or the fake might leave.
std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("tmp")) { // of Python, in tests beside this one
      names.insert(name);
    }
  }
  return names;
}

// Processes whose command names this.
std::vector<std::string> processes_of(const std::filesystem::path& path) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string command(
        (std::istreambuf_iterator<char>(file)),
        std::istreambuf_iterator<char>());
    if (command.find(path.native()) != std::string::npos) {
      found.push_back(entry.path());
    }
  }
  return found;
}

void expect_nothing_left(const Machine& machine) {
  EXPECT_TRUE(processes_of(machine.output()).empty());
  std::error_code none_yet;
  for (const auto& run :
       std::filesystem::directory_iterator(machine.output(), none_yet)) {
    for (const auto& entry : std::filesystem::directory_iterator(
             run.path() / "checkpoints", none_yet)) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(
          name.starts_with("step-") || name == "best" || name == "latest")
          << "left: " << entry.path();
      EXPECT_EQ(name.find("tmp"), std::string::npos) << entry.path();
    }
  }
}

// Whether the run came to its end: it has fewer allocations than `call`.
bool run_without(int call, const e2e::Options& options) {
  const auto before = shared_memory();
  Machine machine(
      1,
      {{"FAKE_CUDA_FAULT", "oom:0:" + std::to_string(call)},
       {kNoCaching, "1"}});
  const e2e::Result result = e2e::run(machine.training(options));
  EXPECT_THAT(shared_memory(), IsSubsetOf(before));
  expect_nothing_left(machine);
  if (result.exit_code == 0) {
    return true;
  }
  EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::kOutOfMemory))
      << "allocation " << call << ": " << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("rank 0 is out of memory in"))
      << "allocation " << call;
  return false;
}

// A run of one step: the network is made, trained, evaluated, saved.
e2e::Options one_step(const std::string& config) {
  return {
      .config = VITRAIN_SOURCE_DIR + config,
      .set = {
          "run.max_steps=1",
          "run.epochs=1",
          "schedule.warmup=0st",
          "train.precision=fp32",
          "eval.precision=fp32"}};
}

// With torch's caching allocator, which divides its memory, a run has three
// allocations, and the error has the requested size.
TEST(OutOfMemoryOnGpuOfTorch, SaysHowMuchWasAskedFor) {
  for (int call = 1; call <= 3; ++call) {
    Machine machine(1, {{"FAKE_CUDA_FAULT", "oom:0:" + std::to_string(call)}});
    const e2e::Result result =
        e2e::run(machine.training(one_step("/tests/e2e/files/tiny.yaml")));
    EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::kOutOfMemory))
        << "allocation " << call << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr("rank 0 is out of memory in"));
    EXPECT_THAT(
        result.err,
        testing::ContainsRegex("Tried to allocate [0-9.]+ [KMG]iB"));
    expect_nothing_left(machine);
  }
}

class OutOfMemoryOnGpu : public testing::TestWithParam<int> {};

constexpr int kShards = 4;

// A linear model has the fewest allocations: fails each of them.
TEST_P(OutOfMemoryOnGpu, AtEveryAllocationOfASmallRun) {
  constexpr int kMore = 200; // than there are
  int call = 1 + GetParam();
  while (call < kMore &&
         !run_without(call, one_step("/configs/pytorch_ddp_example.yaml"))) {
    call += kShards;
  }
  EXPECT_GT(call, 40);
  EXPECT_LT(call, kMore);
}

INSTANTIATE_TEST_SUITE_P(All, OutOfMemoryOnGpu, testing::Range(0, kShards));

// A ViT of two blocks has about 800 allocations: fails some in each phase.
TEST(OutOfMemoryOfAVitOnGpu, WhereverInTheRun) {
  constexpr int kApart = 83;
  int call = 5;
  while (!run_without(call, one_step("/tests/e2e/files/tiny.yaml"))) {
    call += kApart;
  }
  EXPECT_GT(call, 400);
}

} // namespace
} // namespace vitrain::fake_cuda

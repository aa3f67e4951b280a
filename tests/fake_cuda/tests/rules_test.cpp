// Tests of the fake itself: programs that break its rules, one at a time, and
// correct versions of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <ostream>

#include "machine.h"

namespace vitrain::fake_cuda {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Broken {
  std::string rule; // of rules/break_rule.cpp
  std::string words; // of the violation; none: all is well
  int exit_code = 0;
};

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.rule;
}

class RuleOfCuda : public testing::TestWithParam<Broken> {};

TEST_P(RuleOfCuda, IsSeenToBeBroken) {
  const Broken& broken = GetParam();
  const Machine machine(1);
  e2e::Command command = machine.command({});
  command.words = {VITRAIN_BINARY_DIR "/tests/break_rule", broken.rule};
  const e2e::Result result = e2e::run(command, /*seconds=*/20.0);
  EXPECT_EQ(result.exit_code, broken.exit_code) << result.out << result.err;
  if (broken.words.empty()) {
    EXPECT_THAT(result.err, Not(HasSubstr("violation")));
  } else {
    EXPECT_THAT(result.err, HasSubstr("violation: "));
    EXPECT_THAT(result.err, HasSubstr(broken.words));
  }
}

constexpr int kSegv = 128 + SIGSEGV;
constexpr int kAbort = 128 + SIGABRT;
constexpr const char* kChanged = "pinned memory changed before its copy";
constexpr const char* kOrder = "without an event or a wait between";

INSTANTIATE_TEST_SUITE_P(
    All,
    RuleOfCuda,
    testing::Values(
        Broken{"touch", "", kSegv},
        Broken{"overrun", "goes beyond the allocation"},
        Broken{"host_as_device", "memory that is on no device"},
        Broken{"free_twice", "cudaFree of what cudaMalloc did not return"},
        Broken{"change_early", kChanged},
        Broken{"change_after_the_wrong_event", kChanged},
        Broken{"change_after_a_wait", ""},
        Broken{"read_early", "", 3},
        Broken{"use_on_another_stream", kOrder},
        Broken{"read_on_another_stream", kOrder},
        Broken{"overwrite_what_is_read", kOrder},
        Broken{"use_behind_an_event", ""},
        Broken{"use_behind_a_wait", ""},
        Broken{"multiply_a_copy", kOrder},
        Broken{"multiply_behind_an_event", ""},
        Broken{"multiply_a_copy_lt", kOrder},
        Broken{"lt_behind_an_event", ""},
        Broken{"plan_on_a_copy", kOrder},
        Broken{"plan_behind_an_event", ""},
        Broken{"kernel_on_a_copy", kOrder},
        Broken{"kernel_behind_an_event", ""},
        Broken{"elementwise_on_a_copy", kOrder},
        Broken{"fill_a_factor", kOrder},
        Broken{"fill_a_product", kOrder},
        Broken{"fill_what_a_plan_reads", kOrder},
        Broken{"fill_what_a_plan_writes", kOrder},
        Broken{"fill_what_a_kernel_reads", kOrder},
        Broken{"fill_the_end_of_a_result", kOrder},
        Broken{"multiply_beyond", "goes beyond the allocation"},
        Broken{"wait_in_capture", "cudaStreamSynchronize on a stream that is"},
        Broken{"ask_in_capture", "cudaStreamQuery on a stream that is"},
        Broken{"allocate_in_capture", "cudaMalloc while a stream is captured"},
        Broken{
            "wait_for_all_in_capture",
            "cudaDeviceSynchronize while a stream is captured"},
        Broken{
            "copy_pageable_in_capture",
            "a copy of pageable memory on a stream that is captured"},
        Broken{"capture_the_default_stream", "capture of the default stream"},
        Broken{"launch_nothing", "grid is empty"},
        Broken{"other_size", "all-reduce of 32", kAbort},
        Broken{"other_type", "all-reduce of 16 of type 2", kAbort},
        Broken{"equal_calls", ""}),
    [](const auto& test) { return test.param.rule; });

// The real program, whose streams do not wait for one another: what copies,
// collectives, kernels and products use at the same time is seen.
TEST(OrderOfStreams, IsMissedInTheRealProgram) {
  const TempFolder reports;
  const std::string libraries = VITRAIN_BINARY_DIR "/tests/fake_cuda/";
  const Machine machine(
      2,
      {{"FAKE_CUDA_FOLDER", reports.path()},
       {"LD_PRELOAD",
        libraries + "libfake_cuda_no_order.so:" + libraries +
            "libfake_cuda.so"}});
  const e2e::Result result = e2e::run(machine.training(
      {.set = {
           "run.max_steps=4",
           "run.epochs=1",
           "schedule.warmup=0st",
           "log.every=100"}}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::string all;
  for (const auto& entry :
       std::filesystem::directory_iterator(reports.path())) {
    all += slurp(entry.path());
  }
  for (const char* work : {"a copy uses", "a collective uses", "the kernel "}) {
    EXPECT_THAT(all, HasSubstr(work));
  }
  EXPECT_THAT(all, HasSubstr(kOrder));
}

} // namespace
} // namespace vitrain::fake_cuda

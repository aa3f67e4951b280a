// That the fake sees what it is there to see: programs that break its rules,
// one by one, and the same done rightly.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
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

} // namespace
} // namespace vitrain::fake_cuda

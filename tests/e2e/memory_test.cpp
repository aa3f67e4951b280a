// Memory estimates of runs, and runs without enough memory.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A network on noise of its own size, for some steps.
Words some_steps(
    const std::filesystem::path& output,
    const std::string& model,
    int side,
    int batch,
    const Options& more = {}) {
  const Options common{
      .config = VITRAIN_SOURCE_DIR "/tests/e2e/files/noise.yaml",
      .devices = "cpu:1",
      .set = {
          "model.name=" + model,
          fmt::format("model.image_size={}", side),
          fmt::format("data.train.size={}", side),
          fmt::format("data.eval.size={}", side),
          fmt::format("data.batch_size={}", batch)}};
  return tiny_run(output, common.with(more));
}

// The bytes of "about 1.6 GiB for each worker" in a dry run's output.
double estimate_in(const std::string& out) {
  const std::string before = "about ";
  const std::size_t end = out.find(" for each worker");
  if (end == std::string::npos) {
    return 0.0;
  }
  const std::size_t start = out.rfind(before, end) + before.size();
  const std::string text = out.substr(start, end - start);
  char* unit = nullptr;
  double bytes = std::strtod(text.c_str(), &unit);
  for (const char* known : {" B", " KiB", " MiB", " GiB"}) {
    if (std::string(unit) == known) {
      return bytes;
    }
    bytes *= 1024.0;
  }
  return 0.0;
}

// Returns the peak resident bytes of a process of this run; 0 if it failed.
double peak_of(const Words& arguments) {
  int pipe[2];
  if (::pipe(pipe) != 0) {
    return 0.0;
  }
  // In a process of its own, that only this run's children count.
  const pid_t pid = ::fork();
  if (pid == 0) {
    const Result result = run(arguments, 280);
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const double bytes = result.exit_code == 0
        ? static_cast<double>(usage.ru_maxrss) * 1024.0
        : 0.0;
    const ssize_t put = ::write(pipe[1], &bytes, sizeof(bytes));
    ::_exit(put == sizeof(bytes) ? 0 : 1);
  }
  ::close(pipe[1]);
  double bytes = 0.0;
  const ssize_t got = ::read(pipe[0], &bytes, sizeof(bytes));
  ::close(pipe[0]);
  ::waitpid(pid, nullptr, 0);
  return got == sizeof(bytes) ? bytes : 0.0;
}

struct Case {
  const char* model;
  int side;
  int batch;
  const char* recompute = "none";
  const char* freeze = "[]";
};

class Memory : public testing::TestWithParam<Case> {};

// Issue 14, item 10: within 30 %.
TEST_P(Memory, IsThatOfTheDryRun) {
  const TempFolder folder;
  const auto [model, side, batch, recompute, freeze] = GetParam();
  const Words set{
      fmt::format("train.recompute={}", recompute),
      fmt::format("model.freeze={}", freeze)};
  const Result dry = run(some_steps(
      folder / "runs", model, side, batch, {.set = set, .more = {"-dry_run"}}));
  ASSERT_EQ(dry.exit_code, 0) << dry.err;
  const double expected = estimate_in(dry.out);
  ASSERT_GT(expected, 0.0) << dry.out;
  const double used =
      peak_of(some_steps(folder / "runs", model, side, batch, {.set = set}));
  ASSERT_GT(used, 0.0);
  EXPECT_GT(expected, 0.7 * used) << expected << " of " << used;
  EXPECT_LT(expected, 1.3 * used) << expected << " of " << used;
  RecordProperty("expected", std::to_string(expected / used));
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    Memory,
    testing::Values(
        Case{"vit_tiny_patch16_224", 224, 24},
        Case{"vit_small_patch16_224", 112, 24},
        Case{"resnet18", 128, 24},
        Case{"resnet50", 96, 16},
        Case{"vit_small_patch16_224", 224, 24, "blocks"},
        Case{"vit_small_patch16_224", 224, 24, "3"},
        Case{"swin_tiny_patch4_window7_224", 224, 12, "blocks"},
        Case{"swin_tiny_patch4_window7_224", 224, 12},
        Case{"convnext_tiny", 224, 12},
        Case{"efficientnet_b0", 224, 12},
        Case{
            "vit_small_patch16_224",
            224,
            24,
            "none",
            "[patch_embed, cls_token, pos_embed, blocks, norm]"},
        Case{"resnet50", 224, 16, "none", "[conv1, bn1, layer1, layer2]"}),
    [](const auto& one) {
      const bool freezes = std::string(one.param.freeze) != "[]";
      return fmt::format(
          "{}_{}{}",
          one.param.model,
          one.param.recompute,
          freezes ? "_frozen" : "");
    });

TEST(OutOfMemory, IsSeenBeforehand) {
  const TempFolder folder;
  const auto dry = [&](int batch) {
    return run(some_steps(
        folder / "runs",
        "vit_small_patch16_224",
        224,
        batch,
        {.set = {"data.train.count=100000"}, .more = {"-dry_run"}}));
  };
  const Result huge = dry(100'000);
  EXPECT_EQ(huge.exit_code, 0) << huge.err;
  EXPECT_THAT(
      huge.out,
      AllOf(
          HasSubstr("warning: the worker needs about"),
          HasSubstr("data.batch_size")));
  EXPECT_THAT(dry(1).out, Not(HasSubstr("warning: the worker needs")));
}

// Each part says where and how much: 6, not "report a defect".
TEST(OutOfMemory, EndsWithSixAndSaysWhat) {
  const TempFolder folder;
  // The address space of each process in bytes; 2 GiB hold threads and
  // libraries, and no forward pass of 200 images.
  const auto with_little = [&](const Words& arguments) {
    return run(vitrain(arguments).after({"prlimit", "--as=2147483648"}), 280);
  };
  const Result forward = with_little(
      some_steps(folder / "runs", "vit_tiny_patch16_224", 224, 200));
  EXPECT_EQ(forward.exit_code, 6) << forward.out << forward.err;
  EXPECT_THAT(
      forward.err,
      AllOf(
          HasSubstr("rank 0 is out of memory in"),
          HasSubstr("200 images of 3x224x224"),
          HasSubstr("data.batch_size"),
          Not(HasSubstr("enforce fail"))));
  const Result evaluation = with_little(some_steps(
      folder / "runs",
      "vit_tiny_patch16_224",
      224,
      4,
      {.set = {"data.eval_batch_size=1500"}}));
  EXPECT_EQ(evaluation.exit_code, 6) << evaluation.out << evaluation.err;
  EXPECT_THAT(
      evaluation.err,
      AllOf(
          HasSubstr("rank 0 is out of memory in evaluation"),
          HasSubstr("1,500 images"),
          HasSubstr("data.eval_batch_size")));
}

} // namespace
} // namespace vitrain::e2e

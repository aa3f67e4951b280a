#include "job/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/sections/recipe.h"
#include "core/error.h"
#include "launch/devices/devices.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

using config::Precision;

constexpr Processors kGpu{.cuda = true};
constexpr Processors kOldCpu{};

TEST(Precision, AutoTakesBf16WhereItIsNative) {
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, kGpu).precision, Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, {.cpu = {.avx512_bf16 = true}})
          .precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, {.cpu = {.amx_bf16 = true}})
          .precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, kOldCpu).precision, Precision::kFp32);
}

TEST(Precision, OfGpusBeforeAmpereIsFp32) {
  constexpr Processors kTuring{.cuda = true, .capability = 75};
  constexpr Processors kAmpere{.cuda = true, .capability = 80};
  const PrecisionChoice choice = resolve_precision(Precision::kAuto, kTuring);
  EXPECT_EQ(choice.precision, Precision::kFp32);
  EXPECT_EQ(choice.reason, "auto: GPU of capability 7.5, bf16 needs 8.0");
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, kAmpere).precision, Precision::kBf16);
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] { resolve_precision(Precision::kBf16, kTuring); }),
      {"7.5"});
}

// The oldest known GPU decides.
TEST(Precision, GoesByTheOldestGpu) {
  EXPECT_EQ(
      least_capability(
          {{.capability = 90}, {.capability = 0}, {.capability = 75}}),
      75);
  EXPECT_EQ(least_capability({{}, {}}), 0);
}

TEST(Precision, EmulatedBf16IsRefusedWithTheReason) {
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] { resolve_precision(Precision::kBf16, kOldCpu); }),
      {});
  EXPECT_EQ(
      resolve_precision(Precision::kBf16, kGpu).precision, Precision::kBf16);
}

TEST(Precision, Fp16NeedsAGpuOfAnyAge) {
  expect_message(
      error_of(
          ExitCode::kUsage,
          [] {
            resolve_precision(Precision::kFp16, {.cpu = {.avx512_bf16 = true}});
          }),
      {});
  EXPECT_EQ(
      resolve_precision(Precision::kFp16, {.cuda = true, .capability = 75})
          .precision,
      Precision::kFp16);
}

TEST(Precision, Tf32NeedsAGpu) {
  EXPECT_THROW(resolve_precision(Precision::kTf32, kOldCpu), Error);
  EXPECT_EQ(
      resolve_precision(Precision::kTf32, kGpu).precision, Precision::kTf32);
}

TEST(Precision, EvaluationIsFp32UnlessItsOwnKeySaysOtherwise) {
  constexpr Processors kModern{.cpu = {.avx512_bf16 = true}};
  config::Recipe recipe;
  EXPECT_EQ(
      resolve_eval_precision(recipe, kModern).precision, Precision::kFp32);
  EXPECT_EQ(resolve_eval_precision(recipe, kGpu).precision, Precision::kFp32);
  recipe.eval.precision = Precision::kAuto;
  EXPECT_EQ(
      resolve_eval_precision(recipe, kModern).precision, Precision::kBf16);
  EXPECT_EQ(
      resolve_eval_precision(recipe, kOldCpu).precision, Precision::kFp32);
  recipe.train.precision = Precision::kTf32;
  EXPECT_EQ(resolve_eval_precision(recipe, kGpu).precision, Precision::kTf32);
  recipe.train.precision = Precision::kFp32;
  recipe.eval.precision = Precision::kBf16;
  EXPECT_EQ(
      resolve_eval_precision(recipe, kModern).precision, Precision::kBf16);
  try {
    resolve_eval_precision(recipe, kOldCpu);
    FAIL() << "accepted";
  } catch (const Error& error) {
    expect_message(error.what(), {"eval.precision"});
  }
}

} // namespace
} // namespace vitrain::job

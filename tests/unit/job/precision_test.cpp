#include "job/options/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/errors.h"

namespace vitrain::job {
namespace {

using config::Precision;

TEST(Precision, AutoTakesBf16WhereItIsNative) {
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, true, {}).precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, false, {.avx512_bf16 = true})
          .precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, false, {.amx_bf16 = true}).precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_precision(Precision::kAuto, false, {}).precision,
      Precision::kFp32);
}

TEST(Precision, EmulatedBf16IsRefusedWithTheReason) {
  EXPECT_THAT(
      error_of(
          ExitCode::kUsage,
          [&] { resolve_precision(Precision::kBf16, false, {}); }),
      ::testing::HasSubstr("emulated"));
  EXPECT_EQ(
      resolve_precision(Precision::kBf16, true, {}).precision,
      Precision::kBf16);
}

TEST(Precision, Tf32NeedsAGpu) {
  EXPECT_THROW(resolve_precision(Precision::kTf32, false, {}), Error);
  EXPECT_EQ(
      resolve_precision(Precision::kTf32, true, {}).precision,
      Precision::kTf32);
}

TEST(Precision, EvaluationIsFp32UnlessItsOwnKeySaysOtherwise) {
  constexpr CpuFeatures kModern{.avx512_bf16 = true};
  config::Recipe recipe;
  EXPECT_EQ(
      resolve_eval_precision(recipe, false, kModern).precision,
      Precision::kFp32);
  EXPECT_EQ(
      resolve_eval_precision(recipe, true, {}).precision, Precision::kFp32);
  recipe.eval.precision = Precision::kAuto;
  EXPECT_EQ(
      resolve_eval_precision(recipe, false, kModern).precision,
      Precision::kBf16);
  EXPECT_EQ(
      resolve_eval_precision(recipe, false, {}).precision, Precision::kFp32);
  recipe.train.precision = Precision::kTf32;
  EXPECT_EQ(
      resolve_eval_precision(recipe, true, {}).precision, Precision::kTf32);
  recipe.train.precision = Precision::kFp32;
  recipe.eval.precision = Precision::kBf16;
  EXPECT_EQ(
      resolve_eval_precision(recipe, false, kModern).precision,
      Precision::kBf16);
  try {
    resolve_eval_precision(recipe, false, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("eval.precision: bf16"));
  }
}

} // namespace
} // namespace vitrain::job

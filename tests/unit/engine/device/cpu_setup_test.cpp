#include "engine/device/cpu_setup.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/system/cpu.h"

extern "C" int mkl_serv_intel_cpu_true();

namespace vitrain::engine {
namespace {

using Answer = int (*)();

TEST(CpuSetup, MklsQuestionIsAnsweredHereBeforeTorchsOwnAnswer) {
  // The function that libraries, torch's among them, find by this name.
  const auto found = reinterpret_cast<Answer>(
      ::dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true"));
  EXPECT_EQ(found, &mkl_serv_intel_cpu_true);
  const auto own =
      reinterpret_cast<Answer>(::dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  ASSERT_NE(own, nullptr) << "this torch asks in another way";
  EXPECT_NE(own, found);
}

TEST(CpuSetup, PlainLeavesTheAnswerToMklAndAutoSaysYesWhereThereIsAvx2) {
  const auto own =
      reinterpret_cast<Answer>(::dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(mkl_serv_intel_cpu_true(), own());
  set_up_mkl(config::Mkl::kAuto);
  if (best_simd() != Simd::kScalar) {
    EXPECT_EQ(mkl_serv_intel_cpu_true(), 1);
    EXPECT_EQ(describe_mkl(), "auto: code for Intel processors");
  }
  set_up_mkl(config::Mkl::kPlain);
  EXPECT_EQ(mkl_serv_intel_cpu_true(), own());
  EXPECT_EQ(describe_mkl(), "plain");
}

} // namespace
} // namespace vitrain::engine

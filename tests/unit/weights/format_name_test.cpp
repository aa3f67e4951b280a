#include "weights/format_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"

namespace vitrain::weights {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FormatName, IsNotThatOfAnotherFormat) {
  struct Case {
    const char* path;
    FileFormat format;
    const char* advised;
  };
  for (const Case& one :
       {Case{"out/a.safetensors", FileFormat::kOnnx, "call it a.onnx"},
        {"a.PTH", FileFormat::kOnnx, "call it a.onnx"},
        {"a.onnx", FileFormat::kTorchScript, "call it a.pt"},
        {"a.v2.npz", FileFormat::kTorchScript, "call it a.v2.pt"},
        {"a.pt", FileFormat::kSafetensors, "call it a.safetensors"}}) {
    EXPECT_THAT(
        error_of(ExitCode::kUsage, [&] { check_name(one.path, one.format); }),
        AllOf(HasSubstr(one.path), HasSubstr(one.advised)));
  }
}

TEST(FormatName, MayHaveNoExtensionOrOneOfItsOwn) {
  EXPECT_NO_THROW(check_name("vit", FileFormat::kOnnx));
  EXPECT_NO_THROW(check_name("vit.v1.2", FileFormat::kOnnx));
  EXPECT_NO_THROW(check_name("a.ONNX", FileFormat::kOnnx));
  EXPECT_NO_THROW(check_name("a.torchscript", FileFormat::kTorchScript));
  EXPECT_NO_THROW(check_name("a.pth", FileFormat::kTorchScript));
}

} // namespace
} // namespace vitrain::weights

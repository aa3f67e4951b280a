#include "states/weights_files.h"

#include <fcntl.h>

#include <fstream>
#include <limits>

#include <ATen/ATen.h>
#include <c10/util/complex.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/system/files.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::states::weights_files {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

fs::path golden(const std::string& name) {
  return fs::path(VITRAIN_SOURCE_DIR "/tests/golden/weights") / name;
}

class WeightsFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, std::map<std::string, at::Tensor> t) {
    write_new_weights(folder_.path() / name, {.tensors = std::move(t)});
    return folder_.path() / name;
  }

  TempFolder folder_;
};

// Read and written again, each format gives the same tensors.
TEST_F(WeightsFiles, EachFormatIsTheSameAsSafetensors) {
  for (const std::string name :
       {"torchvision_vit.pth",
        "torchvision_swin.pth",
        "torchvision_convnext.pt",
        "transformers_swin.bin",
        "transformers_vit.safetensors",
        "mmpretrain_swin.pth",
        "flax_vit.npz",
        "timm_vit.npz",
        "timm_vit_views.pth",
        "paddle_vit.pdparams",
        "paddle_vit_2.pdparams",
        "paddle_vit_nested.pdparams"}) {
    std::vector<std::string> notes;
    const TensorFile file = read_weights(golden(name), {}, notes);
    const fs::path out = folder_.path() / (name + ".safetensors");
    write_new_weights(out, file);
    const auto difference = compare_weights(golden(name), out, {});
    EXPECT_THAT(difference.lines, IsEmpty()) << name;
    EXPECT_EQ(difference.same, std::ssize(file.tensors)) << name;
    EXPECT_GT(difference.same, 20) << name;
  }
}

TEST_F(WeightsFiles, DividedAmongFilesTheyAreTheSame) {
  const fs::path whole = golden("transformers_vit.safetensors");
  for (const std::string name :
       {"sharded/model.safetensors.index.json",
        "sharded_bin/pytorch_model.bin.index.json"}) {
    const auto difference = compare_weights(whole, golden(name), {});
    EXPECT_THAT(difference.lines, IsEmpty()) << name;
    EXPECT_GT(difference.same, 20) << name;
    expect_message(describe_weights(golden(name), {}), {});
    const TensorFile mean = average_weights({whole, golden(name)}, {});
    const fs::path out = folder_.path() / "mean.safetensors";
    write_new_weights(out, mean);
    EXPECT_THAT(compare_weights(whole, out, {}).lines, IsEmpty()) << name;
    fs::remove(out);
  }
}

TEST_F(WeightsFiles, OneNetworkUnderFourNamesIsTheSame) {
  for (const std::string name :
       {"mmpretrain_vit.pth",
        "flax_vit.npz",
        "paddle_vit.pdparams",
        "paddle_vit_2.pdparams",
        "paddle_vit_nested.pdparams"}) {
    EXPECT_THAT(
        compare_weights(golden("timm_vit.npz"), golden(name), {}).lines,
        IsEmpty())
        << name;
  }
  EXPECT_THAT(
      compare_weights(
          golden("original_swin.pth"), golden("mmpretrain_swin.pth"), {})
          .lines,
      IsEmpty());
}

TEST_F(WeightsFiles, DifferencesAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = write(
      "a.safetensors",
      {{"both", at::tensor({1.0, nan, 3.0})},
       {"first", at::ones({2})},
       {"kind", at::ones({2})},
       {"values", at::tensor({1.0, 2.0, 3.0})}});
  const auto b = write(
      "b.safetensors",
      {{"both", at::tensor({1.0, nan, 3.0})},
       {"kind", at::ones({2}, at::kHalf)},
       {"second", at::ones({2})},
       {"values", at::tensor({1.0, 2.5, 3.25})}});
  const WeightsDifference difference = compare_weights(a, b, {});
  EXPECT_THAT(
      difference.lines,
      ElementsAre(
          "- first",
          "! kind: Float [2], and Half [2]",
          "! values: 2 of 3 values differ, by at most 0.5",
          "+ second"));
  EXPECT_EQ(difference.same, 1);
}

TEST_F(WeightsFiles, AveragesAreMeansInDoublePrecision) {
  const auto with = [&](const char* name, float value, std::int64_t count) {
    return write(
        name,
        {{"w", at::full({2}, value)},
         {"h", at::full({1}, value, at::kBFloat16)},
         {"n", at::full({}, count, at::kLong)}});
  };
  const auto a = with("a.safetensors", 1.0F, 5);
  const auto b = with("b.safetensors", 1.0F + 0x1p-23F, 9);
  const auto c = with("c.safetensors", 4.0F, 7);
  std::vector<std::string> notes{"other"};
  const TensorFile mean = average_weights({a, b, c}, {}, &notes);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(
      mean.tensors.at("w")[0].item<float>(),
      static_cast<float>((1.0 + (1.0 + 0x1p-23) + 4.0) / 3));
  EXPECT_EQ(mean.tensors.at("h").scalar_type(), at::kBFloat16);
  EXPECT_EQ(mean.tensors.at("h").item<float>(), 2.0F);
  EXPECT_EQ(mean.tensors.at("n").item<std::int64_t>(), 7);
  const auto other = write("other.safetensors", {{"w", at::ones({3})}});
  expect_message(
      error_of(
          ExitCode::kWeights,
          [&] {
            average_weights({a, other}, {});
          }),
      {"other.safetensors", "'h'", "1"});
}

// The result once was the last file's values.
TEST_F(WeightsFiles, AveragesOfComplexNumbersAreMeans) {
  using Complex = c10::complex<float>;
  const auto with = [&](const char* name, const Complex& value) {
    return write(name, {{"c", at::full({1}, value, at::kComplexFloat)}});
  };
  const TensorFile mean = average_weights(
      {with("a.safetensors", {1, 2}), with("b.safetensors", {3, -4})}, {});
  EXPECT_EQ(mean.tensors.at("c").scalar_type(), at::kComplexFloat);
  EXPECT_EQ(mean.tensors.at("c").item<Complex>(), Complex(2, -1));
}

// A file with such a tensor could not be read again.
TEST_F(WeightsFiles, ATensorDoesNotTakeTheMetadatasName) {
  expect_message(
      error_of(
          ExitCode::kWeights,
          [&] {
            write("m.safetensors", {{"__metadata__", at::ones({2})}});
          }),
      {"'__metadata__'"});
}

TEST_F(WeightsFiles, DifferencesAreOfBytes) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto inf = std::numeric_limits<float>::infinity();
  const auto with = [&](const char* name, std::int64_t last, float value) {
    using Complex = c10::complex<float>;
    return write(
        name,
        {{"complex", at::full({2}, Complex(1, value), at::kComplexFloat)},
         {"huge", at::full({1}, (std::int64_t{1} << 62) + last, at::kLong)},
         {"none", at::zeros({0})},
         {"one", at::tensor({nan, inf, value})},
         {"others", at::tensor({value, value == 2.0F ? nan : value})},
         {"unbounded", at::tensor({value == 2.0F ? inf : value})},
         {"zero", at::tensor({value == 2.0F ? 0.0F : -0.0F})}});
  };
  const auto a = with("a.safetensors", 1, 2.0F);
  const auto b = with("b.safetensors", 0, 3.0F);
  EXPECT_THAT(
      compare_weights(a, b, {}).lines,
      ElementsAre(
          "! complex: 2 of 2 values differ, by at most 1",
          "! huge: 1 of 1 values differ, by at most 1",
          "! one: 1 of 3 values differ, by at most 1",
          "! others: 2 of 2 values differ, by at most 1, 1 of them NaN or Inf",
          "! unbounded: 1 of 1 values differ, with NaN or Inf in each of them",
          "! zero: 1 of 1 values differ, by at most 0"));
  EXPECT_EQ(compare_weights(a, a, {}).same, 7);
}

TEST_F(WeightsFiles, NumbersOfTwoKindsHaveNoMean) {
  const auto a = write("a.safetensors", {{"w", at::ones({2})}});
  const auto b = write("b.safetensors", {{"w", at::ones({2}, at::kLong)}});
  expect_message(
      error_of(
          ExitCode::kWeights,
          [&] {
            average_weights({a, b}, {});
          }),
      {"b.safetensors", "'w'"});
  const auto half =
      write("half.safetensors", {{"w", at::zeros({2}, at::kHalf)}});
  EXPECT_EQ(
      average_weights({a, half}, {}).tensors.at("w")[0].item<float>(), 0.5F);
}

TEST_F(WeightsFiles, ALongNamePadsNoOtherRow) {
  const auto path = write(
      "a.safetensors",
      {{std::string(3'000, 'n'), at::ones({2})}, {"w", at::ones({2})}});
  EXPECT_THAT(
      describe_weights(path, {}),
      HasSubstr("\nw" + std::string(99, ' ') + "  F32   [2]\n"));
}

TEST_F(WeightsFiles, NamesOfOtherFormatsAreRefused) {
  for (const char* name :
       {"a.pth",
        "a.pt",
        "a.PTH",
        "a.bin",
        "a.npz",
        "a.pdparams",
        "a.onnx",
        "a.pth.tar",
        "a.safetensors.pth"}) {
    EXPECT_THAT(
        error_of(
            ExitCode::kUsage,
            [&] {
              write(name, {{"w", at::ones({2})}});
            }),
        AllOf(
            HasSubstr(std::string(name) + ": safetensors is what is written"),
            HasSubstr("call it a.")))
        << name;
    EXPECT_THROW(check_new_weights(folder_.path() / name), Error) << name;
    EXPECT_FALSE(fs::exists(folder_.path() / name)) << name;
  }
  for (const char* name : {"a", "a.safetensors", "a.SAFETENSORS", "vit.v1.2"}) {
    EXPECT_NO_THROW(check_new_weights(folder_.path() / name)) << name;
  }
}

TEST_F(WeightsFiles, NothingIsOverwritten) {
  const auto path = write("a.safetensors", {{"w", at::ones({2})}});
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] {
            write("a.safetensors", {{"w", at::zeros({2})}});
          }),
      {});
  std::vector<std::string> notes;
  EXPECT_TRUE(
      read_weights(path, {}, notes).tensors.at("w").equal(at::ones({2})));
  EXPECT_FALSE(fs::exists(path.native() + ".part"));
}

TEST_F(WeightsFiles, ADescriptionNamesWhatWasChosen) {
  const std::string text =
      describe_weights(golden("torchvision_convnext.pt"), {});
  expect_message(text, {"65", "15,155"});
  expect_message(text, {"'model_ema'", "'model'"});
  expect_message(text, {});
  expect_message(
      describe_weights(golden("torchvision_convnext.pt"), {.part = "model"}),
      {"'model'", "'model_ema'"});
  expect_message(
      error_of(
          ExitCode::kWeights,
          [] {
            describe_weights(
                golden("torchvision_convnext.pt"), {.part = "teacher"});
          }),
      {"'teacher'", "'model'", "'model_ema'", "model.pretrained_part"});
}

} // namespace
} // namespace vitrain::states::weights_files

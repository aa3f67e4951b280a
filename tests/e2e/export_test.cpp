// Networks for other programs: the verb `export` on the weights of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Export : public testing::Test {
 protected:
  void SetUp() override {
    run_ = train(
        folder_ / "runs", {.devices = "cpu:1", .set = {"run.max_steps=20"}});
  }

  Result write(
      const std::string& format,
      const std::filesystem::path& path,
      const Words& more = {}) const {
    Words words{
        "export", "-pretrained", run_, "-format", format, "-output", path};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  TempFolder folder_;
  std::filesystem::path run_;
};

TEST_F(Export, TakesTheNetworkFromTheRunOfTheWeights) {
  for (const std::string format : {"safetensors", "torchscript", "onnx"}) {
    const auto path = folder_ / ("network." + format);
    const Result result = write(format, path);
    EXPECT_EQ(result.exit_code, 0) << format << result.err;
    EXPECT_THAT(
        result.out,
        AllOf(
            HasSubstr("the recipe is " + (run_ / "config.yaml").native()),
            HasSubstr("vit_tiny_patch16_224 as " + format)));
    EXPECT_GT(std::filesystem::file_size(path), 10000U) << format;
    EXPECT_THAT(slurp(path), HasSubstr("circle")) << "names of classes";
    const Result again = write(format, path);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("is there already"));
  }
  // The exported weights evaluate like the checkpoint.
  const auto evaluated = [&](const std::filesystem::path& weights) {
    const auto output = folder_ / "evaluated";
    const Result result =
        run(tiny_run(output, {.devices = "cpu:1", .evaluate = weights}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(result.out.find("eval"), 60);
  };
  EXPECT_EQ(evaluated(run_), evaluated(folder_ / "network.safetensors"));
}

// A folder is for timm, which has no network with the tiny one's numbers.
TEST_F(Export, AFolderOfTimm) {
  const auto tiny = folder_ / "tiny";
  const Result refused = write("safetensors", tiny / "");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("timm has no network"));
  EXPECT_FALSE(std::filesystem::exists(tiny / "model.safetensors"));

  const auto trained = train(
      folder_ / "named",
      {.config = kTinyResNet, .devices = "cpu:1", .set = {"run.max_steps=20"}});
  const auto folder = folder_ / "timm";
  const Result result = run(
      {"export", trained, "-format", "safetensors", "-output", folder / ""});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "model.safetensors"));
  const Json config = Json::parse(slurp(folder / "config.json"));
  EXPECT_EQ(config.at("architecture"), "resnet18");
  EXPECT_EQ(config.at("num_classes"), config.at("label_names").size());
  const Json& cfg = config.at("pretrained_cfg");
  EXPECT_EQ(cfg.at("input_size"), Json({3, 32, 32}));
  EXPECT_EQ(cfg.at("fixed_input_size"), false);
  EXPECT_EQ(cfg.at("mean").size(), 3U);
  EXPECT_EQ(cfg.at("crop_pct"), 1.0);
}

TEST_F(Export, SaysWhatIsMissing) {
  const auto copy = folder_ / "copy.safetensors";
  std::filesystem::copy_file(checkpoint(run_, 20) / "model.safetensors", copy);
  const auto path = folder_ / "network.onnx";
  const Result bare = run(
      Words{"export", "-pretrained", copy, "-format", "onnx", "-output", path});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.err, HasSubstr("-set model.name=NAME"));
  const Result none = run(Words{"export", "-format", "onnx", "-output", path});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("-pretrained"));
  const Result unknown = write("tflite", path);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("safetensors, torchscript, onnx"));
  const Result nowhere = run(Words{"export", "-pretrained", run_});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("-format"), HasSubstr("-output")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Export, NamesInputAndOutputOfOnnx) {
  const auto path = folder_ / "named.onnx";
  const Result named = write("onnx", path, {"-names", "input0,output0"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(slurp(path), AllOf(HasSubstr("input0"), HasSubstr("output0")));
  for (const char* names : {"input0", "a,a", "a,b,c", ",b", "a, b"}) {
    const Result refused =
        write("onnx", folder_ / "other.onnx", {"-names", names});
    EXPECT_EQ(refused.exit_code, 2) << names;
    EXPECT_THAT(refused.err, HasSubstr("-names")) << names;
  }
  const Result other =
      write("torchscript", folder_ / "named.pt", {"-names", "a,b"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("-names"));
}

} // namespace
} // namespace vitrain::e2e

// configs/finetune_*.yaml from pre-training to predictions, on the JPEG files
// of CIFAR-10.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

struct Case {
  std::string config;
  std::string network; // a small one of the family
  Words numbers; // of the small network
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.config;
}

class FineTune : public testing::TestWithParam<Case> {};

TEST_P(FineTune, StartsFromWeightsAndLearnsFromPhotographs) {
  const std::filesystem::path archive =
      VITRAIN_SOURCE_DIR "/../shared/data/cifar10-jpg.tar.zst";
  if (!std::filesystem::exists(archive)) {
    GTEST_SKIP() << archive << " is not there";
  }
  const TempFolder folder;
  const Result unpacked = run(Command{
      {"tar",
       "--use-compress-program=unzstd",
       "-C",
       folder.path(),
       "--wildcards",
       "-xf",
       archive,
       "*/000?.jpg"}});
  ASSERT_EQ(unpacked.exit_code, 0) << unpacked.err;
  const auto training = [&](const std::string& output, const Words& more) {
    Words words{
        "-cfg",
        VITRAIN_SOURCE_DIR "/configs/" + GetParam().config + ".yaml",
        "-data_path",
        folder.path(),
        "-output",
        folder / output,
        "-devices",
        "cpu:2",
        "-set",
        "data.batch_size=20",
        "-set",
        "run.epochs=2",
        "-set",
        "model.name=" + GetParam().network,
        "-set",
        "model.image_size=32",
        "-set",
        "schedule.warmup=0ep"};
    for (const std::string& number : GetParam().numbers) {
      words.insert(words.end(), {"-set", number});
    }
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run(words, 120);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return newest_run(folder / output);
  };
  // With another number of classes: the classifier is new.
  const auto before = training("before", {"-set", "model.num_classes=12"});
  const auto tuned = training("tuned", {"-pretrained", before.native()});
  const Json last = records(tuned, "eval").back();
  EXPECT_EQ(last.at("count"), 100);
  const auto table = folder / "predictions.csv";
  const Result predicted = run(
      {"predict",
       folder / "test",
       "-pretrained",
       tuned,
       "-csv",
       table,
       "-features",
       folder / "features.npy"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(slurp(table), testing::HasSubstr("airplane"));
  const std::string features = slurp(folder / "features.npy");
  const std::string width = GetParam().network == "resnet18" ? "512" : "32";
  EXPECT_THAT(features, testing::HasSubstr("'shape': (100, " + width + "), }"));
  EXPECT_EQ(features.size(), 128 + 100 * std::stoul(width) * sizeof(float));
}

const Words kSmallVit{
    "model.patch_size=8",
    "model.embed_dim=32",
    "model.depth=2",
    "model.num_heads=2"};

INSTANTIATE_TEST_SUITE_P(
    Of,
    FineTune,
    testing::Values(
        Case{"finetune_vit", "vit_tiny_patch16_224", kSmallVit},
        Case{"finetune_linear", "vit_tiny_patch16_224", kSmallVit},
        Case{"finetune_lora", "vit_tiny_patch16_224", kSmallVit},
        Case{"finetune_resnet", "resnet18", {}}),
    [](const auto& one) { return one.param.config; });

} // namespace
} // namespace vitrain::e2e

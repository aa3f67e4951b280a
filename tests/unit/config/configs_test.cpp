#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "config/rules/plan.h"
#include "config/rules/validate.h"
#include "support.h"

namespace vitrain::config {
namespace {

// Returns every recipe of configs/, without base/, whose files are read through
// them.
std::vector<std::filesystem::path> recipes() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(VITRAIN_SOURCE_DIR "/configs")) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

TEST(Configs, AreThere) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : recipes()) {
    EXPECT_EQ(file.extension(), ".yaml");
    names.push_back(file.stem().native());
  }
  for (const char* name :
       {"shapes_vit_tiny",
        "cifar10_vit",
        "cifar10_vit_short",
        "bench_vit_cifar",
        "imagenet_vit_small",
        "imagenet_mae_pretrain",
        "imagenet_mae_finetune",
        "imagenet_resnet50",
        "imagenet_resnet50_a1",
        "imagenet_resnet50_a2",
        "imagenet_resnet50_a3",
        "imagenet_resnet50_v2",
        "imagenet_resnet50_paddleclas",
        "imagenet_vit_base",
        "imagenet_vit_small_augreg",
        "imagenet_deit_tiny",
        "imagenet_deit_small",
        "imagenet_deit_base",
        "imagenet_deit3_small",
        "imagenet_swin_tiny",
        "imagenet_convnext_tiny",
        "imagenet_efficientnet_b0",
        "paddle_resnet50",
        "paddle_resnet50_scaled",
        "pytorch_ddp_example",
        "horovod_mnist",
        "horovod_imagenet_resnet50"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
}

// The number of training images that the recipe is for.
std::int64_t samples_of(
    const std::filesystem::path& file,
    const Recipe& recipe) {
  if (is_generated(recipe.data.train)) {
    return recipe.data.train.count;
  }
  if (recipe.data.train.kind == SourceKind::kMnist) {
    return 60000;
  }
  const std::string name = file.stem().native();
  return name.find("imagenet") != std::string::npos ? 1281167 : 50000;
}

TEST(Configs, LoadAndAreValidOnOneToEightDevices) {
  for (const std::filesystem::path& file : recipes()) {
    LoadRequest request{.file = file};
    const Recipe plain = load(request).recipe;
    if (!is_generated(plain.data.train)) {
      request.data_path = "data";
    }
    const Loaded loaded = load(request);
    for (const std::int64_t workers : {1, 2, 4, 8}) {
      const Problems problems =
          validate(loaded.recipe, {.workers = workers}, loaded.origins);
      EXPECT_TRUE(problems.empty()) << file << "\n" << problems.text();
      const BatchPlan batch = plan_batch(loaded.recipe, workers);
      const std::int64_t samples = samples_of(file, loaded.recipe);
      const bool whole =
          loaded.recipe.data.sampler.last_batch == LastBatch::kDrop;
      const std::int64_t steps =
          (samples + (whole ? 0 : batch.global_batch - 1)) / batch.global_batch;
      EXPECT_GT(steps, 0);
      const Plan plan = make_plan(
          loaded.recipe,
          batch,
          {.train_samples = samples,
           .steps_per_epoch = steps,
           .eval_samples = 10000});
      EXPECT_GT(plan.total_steps, plan.warmup_steps);
    }
    EXPECT_EQ(
        recipe_hash(from_yaml(to_yaml(loaded.recipe))),
        recipe_hash(loaded.recipe));
  }
}

// The learning rates as Horovod's example computes them for 8 devices.
TEST(Configs, HorovodsImageNetJobHasItsSchedule) {
  const Loaded loaded = load(
      {.file = VITRAIN_SOURCE_DIR "/configs/horovod_imagenet_resnet50.yaml"});
  const BatchPlan batch = plan_batch(loaded.recipe, 8);
  EXPECT_EQ(batch.global_batch, 256);
  const Plan plan = make_plan(
      loaded.recipe,
      batch,
      {.train_samples = 1281167, .steps_per_epoch = 5005, .eval_samples = 1});
  EXPECT_DOUBLE_EQ(plan.lr, 0.1);
  EXPECT_DOUBLE_EQ(plan.warmup_lr, 0.0125);
  EXPECT_EQ(plan.warmup_steps, 5 * 5005);
  EXPECT_EQ(
      plan.milestones,
      (std::vector<std::int64_t>{30 * 5005, 60 * 5005, 80 * 5005}));
}

// It is what ./run_train_multi.sh trains on all devices, whatever their number.
TEST(Configs, ShapesTrainOnAnyNumberOfDevices) {
  const Loaded loaded =
      load({.file = VITRAIN_SOURCE_DIR "/configs/shapes_vit_tiny.yaml"});
  for (std::int64_t workers = 1; workers <= 17; ++workers) {
    const Problems problems =
        validate(loaded.recipe, {.workers = workers}, loaded.origins);
    EXPECT_TRUE(problems.empty()) << problems.text();
    EXPECT_GT(
        loaded.recipe.data.train.count /
            plan_batch(loaded.recipe, workers).global_batch,
        10);
  }
}

} // namespace
} // namespace vitrain::config

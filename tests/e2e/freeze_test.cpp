// Tests of model.freeze and model.lora: weights, running statistics of
// BatchNorm, gradients and moments of frozen layers.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>
#include <string>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Returns the first parts of the names of tensors whose bits differ between two
// files, of tensors whose names end with `end`.
std::set<std::string> changed_layers(
    const std::filesystem::path& before,
    const std::filesystem::path& after,
    const std::string& end) {
  const auto old = read_tensors(before);
  std::set<std::string> layers;
  for (const auto& [name, tensor] : read_tensors(after)) {
    if (name.ends_with(end) && tensor.bytes != old.at(name).bytes) {
      layers.insert(name.substr(0, name.find('.')));
    }
  }
  return layers;
}

// Joins the lines into which the banner wraps a value.
std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\n {8,}"), " ");
}

class FrozenBatchNorm : public testing::TestWithParam<const char*> {};

// Three workers, because the mean of three equal numbers can differ from the
// number in its last bit.
TEST_P(FrozenBatchNorm, KeepsItsRunningStatistics) {
  const TempFolder folder;
  const Options base{
      .config = kTinyResNet,
      .devices = "cpu:3",
      .set = {
          "data.batch_size=4", std::string("dist.batchnorm=") + GetParam()}};
  const auto first = train(folder / "first", base);
  const auto before = checkpoint(first, 3) / "model.safetensors";
  const auto tuned = [&](const std::string& name, const Words& set) {
    const Options options = base.with(
        {.config = kTinyResNet,
         .devices = "cpu:3",
         .set = set,
         .more = {"-pretrained", before.native()}});
    return checkpoint(train(folder / name, options), 3) / "model.safetensors";
  };
  const std::string freeze = "model.freeze=[conv1, bn1, layer1, layer2]";
  const auto frozen = tuned("frozen", {freeze});
  const std::set<std::string> trained{"layer3", "layer4"};
  EXPECT_EQ(changed_layers(before, frozen, "running_mean"), trained);
  EXPECT_EQ(changed_layers(before, frozen, "running_var"), trained);
  EXPECT_EQ(changed_layers(before, frozen, "num_batches_tracked"), trained);
  EXPECT_EQ(
      changed_layers(before, frozen, "weight"),
      (std::set<std::string>{"layer3", "layer4", "fc"}));

  const auto moving = tuned("moving", {freeze, "model.freeze_batchnorm=false"});
  EXPECT_EQ(
      changed_layers(before, moving, "running_mean"),
      (std::set<std::string>{"bn1", "layer1", "layer2", "layer3", "layer4"}));
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    FrozenBatchNorm,
    testing::Values("local", "broadcast_average", "sync"));

const Options kFrozen{
    .devices = "cpu:1",
    .set = {
        "run.max_steps=8",
        "schedule.warmup=0st",
        "data.batch_mode=global",
        "checkpoint.every=4st",
        "checkpoint.keep_last=9",
        "eval.every=8st",
        "optim.name=adamw",
        "train.ema.decay=0.9",
        "model.freeze=[patch_embed, cls_token, pos_embed, blocks.0]"}};

TEST(Frozen, WeightsHaveNoMomentsAndRunsGoOnBitByBit) {
  const TempFolder folder;
  const auto whole = train(folder / "whole", kFrozen);
  std::size_t moments = 0;
  for (const auto& [name, tensor] :
       read_tensors(checkpoint(whole, 8) / "optimizer.safetensors")) {
    EXPECT_THAT(
        name,
        AllOf(
            Not(HasSubstr("patch_embed.")),
            Not(HasSubstr("pos_embed.")),
            Not(HasSubstr("blocks.0."))));
    moments += name.starts_with("blocks.1.") ? 1 : 0;
  }
  EXPECT_EQ(moments, 2u * 12u);
  const auto part = resume_copy(whole, folder / "part", kFrozen, 4);
  expect_same_checkpoint(whole, part, 8);
}

// Names of the tensors whose bits differ between two checkpoints.
std::set<std::string> changed_tensors(
    const std::filesystem::path& before,
    const std::filesystem::path& after) {
  const auto old = read_tensors(before / "model.safetensors");
  std::set<std::string> names;
  for (const auto& [name, tensor] : read_tensors(after / "model.safetensors")) {
    if (tensor.bytes != old.at(name).bytes) {
      names.insert(name);
    }
  }
  return names;
}

TEST(Frozen, AllButHeadTrainsTheClassifierAlone) {
  const TempFolder folder;
  const auto path = train(
      folder / "runs",
      {.devices = "cpu:1",
       .set = {
           "run.max_steps=4",
           "schedule.warmup=0st",
           "checkpoint.every=2st",
           "checkpoint.keep_last=9",
           "model.head_dropout=0.2",
           "model.freeze=all_but_head"}});
  EXPECT_EQ(
      changed_tensors(checkpoint(path, 2), checkpoint(path, 4)),
      (std::set<std::string>{"head.weight", "head.bias"}));
}

struct AdapterRun {
  std::string name;
  std::string workers;
  Words settings;
};

void PrintTo(const AdapterRun& one, std::ostream* out) {
  *out << one.name;
}

class Adapters : public testing::TestWithParam<AdapterRun> {};

TEST_P(Adapters, AreTrainedResumedAndMerged) {
  const TempFolder folder;
  const Options options =
      Options{
          .devices = GetParam().workers,
          .set =
              {"run.max_steps=8",
               "schedule.warmup=0st",
               "checkpoint.every=4st",
               "checkpoint.keep_last=9",
               "eval.every=8st",
               "optim.lr=0.01",
               "model.lora.rank=4",
               "model.lora.dropout=0.1"}}
          .with({.set = GetParam().settings});
  const auto whole = train(folder / "whole", options);
  std::set<std::string> trained{"head.weight", "head.bias"};
  for (const char* layer : {"qkv", "proj"}) {
    for (const char* block : {"0", "1"}) {
      for (const char* part : {"lora_A", "lora_B"}) {
        trained.insert(
            fmt::format("blocks.{}.attn.{}.{}.weight", block, layer, part));
      }
    }
  }
  EXPECT_EQ(
      changed_tensors(checkpoint(whole, 4), checkpoint(whole, 8)), trained);
  const auto part = resume_copy(whole, folder / "part", options, 4);
  expect_same_checkpoint(whole, part, 8);

  // Evaluation merges the adapters, which rounds differently.
  const Json in_training = records(whole, "eval").back();
  const auto evaluated =
      train(folder / "eval", {.devices = "cpu:1", .evaluate = whole});
  const Json alone = records(evaluated, "eval").back();
  EXPECT_NEAR(
      alone.at("loss").get<double>(),
      in_training.at("loss").get<double>(),
      GetParam().name == "average" ? 0.1 : 1e-4); // the average is evaluated
  EXPECT_EQ(alone.at("count"), in_training.at("count"));
  const auto merged = folder / "merged.safetensors";
  const Result converted = run({"weights", "convert", whole, merged});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  const auto tensors = read_tensors(merged);
  EXPECT_EQ(tensors.size(), 4 + 2 * 12 + 4U);
  EXPECT_TRUE(tensors.contains("blocks.1.attn.qkv.weight"));
  const auto exported = folder / "network.safetensors";
  const Result result = run(
      {"export",
       "-pretrained",
       whole,
       "-format",
       "safetensors",
       "-output",
       exported});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const auto& [name, tensor] : read_tensors(exported)) {
    EXPECT_EQ(tensor.bytes, tensors.at(name).bytes) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    Adapters,
    testing::Values(
        AdapterRun{"alone_bf16", "cpu:1", {"train.precision=bf16"}},
        AdapterRun{"average", "cpu:2", {"train.ema.decay=0.9"}},
        AdapterRun{"zero1", "cpu:3", {"dist.zero1=true"}},
        AdapterRun{
            "local_sgd",
            "cpu:2",
            {"dist.sync.mode=local_sgd", "dist.sync.period=2"}},
        AdapterRun{"delayed", "cpu:2", {"dist.sync.mode=delayed_allreduce"}},
        AdapterRun{"servers", "cpu:1", {"dist.sync.mode=async_ps"}},
        AdapterRun{"replicas", "cpu:3", {"dist.mode=single_process"}},
        AdapterRun{"powersgd", "cpu:2", {"dist.compress=powersgd"}}),
    [](const auto& one) { return one.param.name; });

// Returns the bytes that the dry run's line on memory prints for `what`, as in
// "gradients 7.9 KiB".
double bytes_of(const std::string& out, const std::string& what) {
  const std::size_t memory = out.find("for each worker:");
  const std::size_t start = out.find(what + " ", memory);
  if (memory == std::string::npos || start == std::string::npos) {
    ADD_FAILURE() << what << " in " << out;
    return 0.0;
  }
  char* unit = nullptr;
  double bytes = std::strtod(out.c_str() + start + what.size(), &unit);
  for (const char* known : {" B", " KiB", " MiB"}) {
    if (std::string(unit).starts_with(known)) {
      return bytes;
    }
    bytes *= 1024.0;
  }
  ADD_FAILURE() << what << " in " << out;
  return 0.0;
}

TEST(Frozen, WeightsHaveNoMemoryInADryRun) {
  const TempFolder folder;
  const auto plan = [&](const std::string& freeze) {
    const Result result = run(tiny_run(
        folder / "runs",
        {.devices = "cpu:1",
         .set =
             {"model.name=vit_tiny_patch16_224",
              "model.patch_size=16",
              "model.embed_dim=192",
              "model.num_heads=3",
              "model.depth=12",
              "model.num_classes=10",
              "optim.name=adamw",
              "model.freeze=" + freeze},
         .more = {"-dry_run"}}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return unwrapped(result.out);
  };
  const std::string all = plan("[]");
  const std::string head =
      plan("[patch_embed, cls_token, pos_embed, blocks, norm]");
  const double parameters = 192 * 10 + 10;
  // Printed with two digits or more.
  EXPECT_NEAR(bytes_of(head, "gradients"), 4 * parameters, 0.05 * 4096);
  EXPECT_NEAR(bytes_of(head, "optimizer"), 8 * parameters, 0.05 * 8192);
  EXPECT_GT(bytes_of(all, "gradients"), 2e7);
  EXPECT_NEAR(
      bytes_of(all, "optimizer") / bytes_of(all, "gradients"), 2.0, 0.1);
}

// The banner's line on a network with other numbers than its name's.
TEST(ModelLine, NamesTheNumbersThatTheRecipeChanges) {
  const TempFolder folder;
  const auto plan = [&](const Words& set) {
    const Result result = run(tiny_run(
        folder / "runs",
        {.devices = "cpu:1", .set = set, .more = {"-dry_run"}}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return unwrapped(result.out + result.err);
  };
  const std::string changed = plan(
      {"model.image_size=32",
       "model.patch_size=16",
       "model.embed_dim=192",
       "model.num_heads=3",
       "model.depth=6"});
  EXPECT_THAT(
      changed,
      AllOf(
          HasSubstr("vit_tiny_patch16_224, 32 px, depth 6, 2.8 M parameters"),
          Not(HasSubstr("num_heads")),
          Not(HasSubstr("model.num_classes"))));
  EXPECT_THAT(
      plan({"model.num_classes=23"}),
      AllOf(
          HasSubstr("vit_tiny_patch16_224, 16 px, patch_size 8, embed_dim 32, "
                    "depth 2, num_heads 2, "),
          HasSubstr("note: model.num_classes is 23")));
}

} // namespace
} // namespace vitrain::e2e

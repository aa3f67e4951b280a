#include "engine/step/parameter_groups.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "models/families/family.h"
#include "models/parameter_layers.h"
#include "models/resolve.h"
#include "networks/layers/layers.h"
#include "networks/tensors.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

models::ModelSpec spec_of(const std::string& name) {
  config::ModelConfig model;
  model.name = name;
  model.num_classes = 10;
  return models::resolve(model, {.outputs = 10});
}

std::vector<std::string> names_of_parameters(const models::ModelSpec& spec) {
  std::vector<std::string> names;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    if (tensor.kind == networks::TensorInfo::Kind::kParameter) {
      names.push_back(tensor.name);
    }
  }
  return names;
}

const nlohmann::json& golden_layers() {
  static const nlohmann::json file = nlohmann::json::parse(
      std::ifstream(VITRAIN_SOURCE_DIR "/tests/golden/optim/layers.json"));
  return file;
}

// The layer of a name, of which the file has some beginning.
int layer_in(const nlohmann::json& layers, std::string name) {
  while (!layers.contains(name)) {
    const std::size_t dot = name.rfind('.');
    name.resize(dot == std::string::npos ? 0 : dot);
  }
  return layers.at(name);
}

TEST(ParameterGroups, LayersAreTimms) {
  for (const auto& item : golden_layers().at("models").items()) {
    SCOPED_TRACE(item.key());
    const models::ModelSpec spec = spec_of(item.key());
    const std::vector<std::string> names = names_of_parameters(spec);
    const std::vector<int> layers = models::layers_of(spec, names);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (layers[i] != layer_in(item.value().at("layers"), names[i])) {
        EXPECT_LT(++wrong, 5U) << names[i] << " is in " << layers[i];
      }
    }
  }
}

TEST(ParameterGroups, EachFamilyHasLayers) {
  for (const models::Family* family : models::families()) {
    const std::string name = family->list().front();
    SCOPED_TRACE(name);
    if (family->takes_vectors || family->learns_pixels) {
      continue; // spec_of() gives it no data
    }
    const models::ModelSpec spec = spec_of(name);
    const auto layers = models::layers_of(spec, names_of_parameters(spec));
    EXPECT_GE(std::ranges::max(layers), 0);
    EXPECT_EQ(std::ranges::min(layers), 0);
  }
}

// Layer, whether it decays, factor of the learning rate, values.
using Row = std::tuple<int, bool, double, std::int64_t>;

TEST(ParameterGroups, LayerDecayMakesTimmsGroups) {
  for (const auto& item : golden_layers().at("models").items()) {
    SCOPED_TRACE(item.key());
    config::Recipe recipe;
    recipe.optim.layer_decay = golden_layers().at("layer_decay");
    recipe.optim.no_decay = {"norm", "bias"};
    const auto groups = summarize_groups(recipe, spec_of(item.key()));
    std::vector<Row> ours;
    for (const GroupSummary& group : groups) {
      ours.emplace_back(
          std::stoi(group.settings.name.substr(6)), // behind "layer_"
          group.settings.weight_decay > 0.0,
          group.settings.lr_scale,
          group.values);
    }
    std::ranges::sort(ours);
    const auto expected = item.value().at("groups").get<std::vector<Row>>();
    ASSERT_EQ(ours.size(), expected.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto& [layer, decays, scale, values] = expected[i];
      EXPECT_EQ(std::get<0>(ours[i]), layer);
      EXPECT_EQ(std::get<1>(ours[i]), decays);
      EXPECT_DOUBLE_EQ(std::get<2>(ours[i]), scale);
      EXPECT_EQ(std::get<3>(ours[i]), values) << "layer " << layer;
    }
  }
}

TEST(ParameterGroups, TheFirstRuleThatMatchesCounts) {
  config::OptimConfig optim;
  optim.weight_decay = 0.1;
  optim.groups = {
      R"({match: "blocks.*.attn", lr: 0.5, weight_decay: 0})",
      R"({match: "blocks.1", lr: 0.1})"};
  const models::ModelSpec spec = spec_of("vit_tiny_patch16_224");
  const optim::Grouping grouping =
      parameter_grouping(optim, spec, names_of_parameters(spec));
  const auto group = [&](const char* name) {
    return grouping(name, {192, 192});
  };
  EXPECT_EQ(group("blocks.1.attn.qkv.weight").lr_scale, 0.5);
  EXPECT_EQ(group("blocks.1.attn.qkv.weight").weight_decay, 0.0);
  EXPECT_EQ(group("blocks.1.mlp.fc1.weight").lr_scale, 0.1);
  EXPECT_EQ(group("blocks.1.mlp.fc1.weight").weight_decay, 0.1);
  EXPECT_EQ(group("blocks.10.mlp.fc1.weight").lr_scale, 1.0);
  EXPECT_EQ(group("blocks.10.mlp.fc1.weight").name, "decay");
  optim.groups.push_back(R"({match: "block.*", lr: 2})");
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] { parameter_grouping(optim, spec, names_of_parameters(spec)); }),
      {"optim.groups", "vit_tiny_patch16_224", "block.*"});
}

TEST(ParameterGroups, WhatExemptsNothingIsTold) {
  const models::ModelSpec spec = spec_of("resnet18");
  const std::vector<std::string> names = names_of_parameters(spec);
  EXPECT_EQ(parameter_names(spec), names);
  config::OptimConfig optim; // names tokens that a resnet has not
  EXPECT_EQ(idle_no_decay(optim, spec, names), "");
  optim.no_decay = {"bias", "bn1.weight", "fc.weight", "conv1.weight"};
  EXPECT_EQ(idle_no_decay(optim, spec, names), "");
  optim.no_decay.insert(
      optim.no_decay.end(), {"1.weight.", "pos_embed", "layer4.*", "c.weight"});
  EXPECT_EQ(
      idle_no_decay(optim, spec, names),
      "optim.no_decay: of resnet18, no parameter's name is 1.weight. or "
      "layer4.* or c.weight, or ends with it behind a dot: that exempts "
      "nothing "
      "from weight decay; names are like conv1.weight and fc.bias");
}

TEST(ParameterGroups, FrozenOnesAreNamedByPatterns) {
  config::Recipe recipe;
  const models::ModelSpec spec = spec_of("vit_tiny_patch16_224");
  const std::vector<std::string> names = names_of_parameters(spec);
  recipe.model.freeze = {"patch_embed", "blocks.?.norm*"};
  const auto frozen = frozen_parameters(recipe.model, names);
  EXPECT_EQ(frozen.size(), 2U + 10U * 4U); // of blocks 0 to 9
  std::int64_t values = 0;
  for (const GroupSummary& group : summarize_groups(recipe, spec)) {
    values += group.values;
  }
  EXPECT_EQ(
      values,
      networks::parameter_count(spec) - 3 * 16 * 16 * 192 - 192 - 10 * 4 * 192);
  recipe.model.freeze = {"block"};
  expect_message(
      error_of(
          ExitCode::kUsage, [&] { frozen_parameters(recipe.model, names); }),
      {"vit_small_patch16_224"});
  recipe.model.freeze = {"*"};
  expect_message(
      error_of(
          ExitCode::kUsage, [&] { frozen_parameters(recipe.model, names); }),
      {});
}

// Names of the BatchNorm layers of a ResNet-18 that a recipe freezes.
std::vector<std::string> frozen_norms(
    const std::vector<std::string>& patterns,
    bool freeze_batchnorm = true) {
  const auto model = networks::make_model(spec_of("resnet18"), /*seed=*/0);
  config::ModelConfig config;
  config.freeze = patterns;
  config.freeze_batchnorm = freeze_batchnorm;
  freeze(*model, config);
  std::vector<std::string> names;
  for (const auto& item : model->named_modules("", /*include_self=*/false)) {
    const auto* norm =
        dynamic_cast<const networks::BatchNorm2d*>(item.value().get());
    if (norm != nullptr && norm->is_frozen()) {
      names.push_back(item.key());
    }
  }
  return names;
}

TEST(ParameterGroups, BatchNormLayersWithoutTrainedParametersAreFrozen) {
  EXPECT_THAT(
      frozen_norms({"conv1", "bn1", "layer1.0"}),
      ::testing::UnorderedElementsAre("bn1", "layer1.0.bn1", "layer1.0.bn2"));
  EXPECT_THAT(
      frozen_norms({"layer2.0.downsample"}),
      ::testing::ElementsAre("layer2.0.downsample.1"));
  // Half of a layer, and convolutions alone.
  EXPECT_THAT(frozen_norms({"bn1.weight"}), IsEmpty());
  EXPECT_THAT(frozen_norms({"*conv?.*"}), IsEmpty());
  EXPECT_THAT(frozen_norms({}), IsEmpty());
  EXPECT_THAT(frozen_norms({"conv1", "bn1"}, false), IsEmpty());
  EXPECT_EQ(frozen_norms({"conv1", "bn*", "layer?"}).size(), 20u);
}

TEST(ParameterGroups, AreShownByLearningRate) {
  config::Recipe recipe;
  recipe.optim.weight_decay = 0.05;
  const models::ModelSpec spec = spec_of("resnet18");
  const std::string plain = groups_text(summarize_groups(recipe, spec), 0.001);
  EXPECT_EQ(plain, "all  lr 0.001      11,181,642 values, decay 0.05, 0");
  recipe.optim.groups = {R"({match: "layer4", lr: 0.1})"};
  EXPECT_THAT(
      groups_text(summarize_groups(recipe, spec), 0.001),
      HasSubstr("\nrule 0  lr 0.0001"));
}

std::vector<std::string> trained_of(const config::ModelConfig& model) {
  models::ModelSpec spec = spec_of(model.name);
  spec.lora = model.lora;
  std::vector<std::string> names = names_of_parameters(spec);
  const std::vector<std::string> frozen = frozen_parameters(model, names);
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(frozen, name) != frozen.end();
  });
  return names;
}

TEST(ParameterGroups, AllButHeadLeavesTheClassifier) {
  for (const auto& [name, head] :
       {std::pair("resnet18", "fc"),
        {"vit_tiny_patch16_224", "head"},
        {"efficientnet_b0", "classifier"},
        {"convnext_tiny", "head.fc"}}) {
    config::ModelConfig model;
    model.name = name;
    model.freeze = {"all_but_head"};
    const std::string start = head;
    EXPECT_THAT(
        trained_of(model),
        ::testing::ElementsAre(start + ".weight", start + ".bias"));
  }
}

TEST(ParameterGroups, AdaptersAreTrainedWithTheClassifier) {
  config::ModelConfig model;
  model.name = "vit_tiny_patch16_224";
  model.lora.rank = 4;
  model.lora.match = {"blocks.11.attn.proj"};
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(
      trained_of(model),
      UnorderedElementsAre(
          "blocks.11.attn.proj.lora_A.weight",
          "blocks.11.attn.proj.lora_B.weight",
          "head.weight",
          "head.bias"));
  model.freeze = {"head"};
  EXPECT_EQ(trained_of(model).size(), 2U);
}

} // namespace
} // namespace vitrain::engine

// Rules for other sections of a recipe that depend on the network.

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "config/rules/stages.h"
#include "core/text.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "models/rules.h"

namespace vitrain::models {
namespace {

constexpr const char* kModelName = "model.name";

} // namespace

std::vector<config::Finding> check_class_weights(
    const config::Recipe& recipe,
    const DataShape& data) {
  const std::int64_t classes = recipe.model.num_classes.value_or(data.outputs);
  const std::int64_t given = std::ssize(recipe.train.class_weights);
  if (given == 0 || classes == kNotKnown || given == classes) {
    return {};
  }
  return {
      {"train.class_weights",
       fmt::format(
           "{} for {} classes: give a number for each, in the order of the "
           "classes",
           counted(given, "number"),
           with_commas(classes)),
       {"train.class_weights", "model.num_classes"}}};
}

std::string unused_outputs(
    const config::ModelConfig& config,
    const DataShape& data) {
  const std::int64_t outputs = config.num_classes.value_or(data.outputs);
  if (data.features != 0 || data.outputs == kNotKnown ||
      outputs <= data.outputs) {
    return "";
  }
  return fmt::format(
      "note: model.num_classes is {}, and the data have {}: {} without samples",
      with_commas(outputs),
      data.outputs == 1 ? "1 class" : with_commas(data.outputs) + " classes",
      outputs - data.outputs == 1
          ? "1 output stays"
          : with_commas(outputs - data.outputs) + " outputs stay");
}

void average_colours(config::Recipe& recipe, std::vector<std::string>& notes) {
  config::PreprocessConfig& preprocess = recipe.data.preprocess;
  const auto average = [](std::array<double, 3>& values) {
    const bool same = values[0] == values[1] && values[1] == values[2];
    if (!same) {
      values.fill((values[0] + values[1] + values[2]) / 3.0);
    }
    return !same;
  };
  if (recipe.data.eval.kind == SourceKind::kVectors ||
      !find_model(recipe.model.name) || channels_of(recipe.model) != 1) {
    return;
  }
  const bool mean = average(preprocess.mean);
  const bool std = average(preprocess.std);
  if (mean || std) {
    notes.push_back(fmt::format(
        "note: images are grey, and data.preprocess.mean or std is that of "
        "colours: the averages are used, mean {:.4g} and std {:.4g} (for "
        "others, set each to three times the same number)",
        preprocess.mean[0],
        preprocess.std[0]));
  }
}

std::vector<config::Finding> check_loss(const config::Recipe& recipe) {
  const std::optional<ModelSpec> named = find_model(recipe.model.name);
  const bool pixels = recipe.train.loss == config::LossKind::kPixels;
  if (!named) {
    return {};
  }
  if (recipe.train.distill.head == config::DistillHead::kToken &&
      !recipe.train.distill.active()) {
    return {
        {"train.distill.head",
         "token needs train.distill.type: soft or hard: without a teacher both "
         "heads learn from the labels; set one, or auto",
         {"train.distill.type"}}};
  }
  if (recipe.train.distill.head == config::DistillHead::kToken &&
      !learns_by_token(recipe.train.distill, *named)) {
    return {
        {"train.distill.head",
         fmt::format(
             "token is for networks with a second head (distilled DeiT, PiT "
             "and LeViT), and {} has one: set auto, or take another network",
             named->name),
         {kModelName, "train.distill.type"}}};
  }
  if (named->family->learns_pixels == pixels) {
    return {};
  }
  std::vector<std::string> learners;
  for (const std::string& name : listed_names()) {
    if (find_model(name)->family->learns_pixels) {
      learners.push_back(name);
    }
  }
  return {
      {"train.loss",
       pixels ? fmt::format(
                    "pixels is for masked autoencoders, and model.name is {}: "
                    "set cross_entropy, or take {}",
                    named->name,
                    join(learners, " or "))
              : fmt::format(
                    "{}, but {} has no classifier and learns to give the "
                    "pixels that it does not see: set pixels",
                    name_of(recipe.train.loss),
                    named->name),
       {kModelName}}};
}

namespace {

std::vector<config::Finding> check_size_of_stage(const config::Recipe& recipe) {
  const auto& size = recipe.data.augment.image_size;
  const std::optional<ModelSpec> named = find_model(recipe.model.name);
  if (!size || !named || *size == image_size_of(recipe.model, *named)) {
    return {};
  }
  if (!named->family->any_image_size) {
    return {
        {"data.augment.image_size",
         fmt::format(
             "is {}, but {} takes images of model.image_size only: leave it "
             "out, or set that",
             size->text(),
             named->name),
         {kModelName}}};
  }
  config::ModelConfig trained = recipe.model;
  trained.image_size = size;
  config::Checker checker;
  if (named->family->check != nullptr) {
    named->family->check(trained, *named, checker);
  }
  std::vector<config::Finding> findings = checker.take();
  std::erase_if(findings, [](const config::Finding& finding) {
    return finding.key != "model.image_size"; // check() has reported these
  });
  for (config::Finding& finding : findings) {
    finding.key = "data.augment.image_size";
  }
  return findings;
}

} // namespace

std::vector<config::Finding> check_training_size(const config::Recipe& recipe) {
  config::Checker checker;
  checker.add(check_size_of_stage(recipe));
  checker.add(config::check_stages(recipe, check_size_of_stage));
  return checker.take();
}

} // namespace vitrain::models

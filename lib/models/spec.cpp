#include "models/spec.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "models/registry.h"
#include "models/rules.h"

namespace vitrain::models {
namespace {

void apply_vit(const config::ModelConfig& config, ModelSpec& spec) {
  VitSpec& vit = spec.vit;
  vit.patch_size = config.patch_size.value_or(vit.patch_size);
  vit.mlp_dim = static_cast<std::int64_t>(mlp_width(config, vit));
  vit.embed_dim = config.embed_dim.value_or(vit.embed_dim);
  vit.depth = config.depth.value_or(vit.depth);
  vit.num_heads = config.num_heads.value_or(vit.num_heads);
  vit.drop_path = config.drop_path;
  vit.dropout = config.dropout;
  vit.attention_dropout = config.attention_dropout;
}

std::string describe_mlp(const ModelSpec& spec) {
  return spec.mlp.hidden == 0
      ? "one linear layer on the numbers of an image or vector"
      : fmt::format(
            "{} hidden layer of width {} (depth, embed_dim) on the numbers of "
            "an image or vector",
            spec.mlp.hidden,
            spec.mlp.width);
}

std::string describe(const ModelSpec& spec) {
  if (spec.family == Family::kMlp) {
    return describe_mlp(spec);
  }
  if (spec.family == Family::kConvNet) {
    return "2 convolutions and 2 linear layers with dropout, grey input";
  }
  if (spec.family == Family::kVit) {
    return fmt::format(
        "width {}, depth {}, {} heads, {}x{} patches",
        spec.vit.embed_dim,
        spec.vit.depth,
        spec.vit.num_heads,
        spec.vit.patch_size,
        spec.vit.patch_size);
  }
  return fmt::format(
      "{} blocks of {} convolutions",
      spec.resnet.blocks[0] + spec.resnet.blocks[1] + spec.resnet.blocks[2] +
          spec.resnet.blocks[3],
      spec.resnet.bottleneck ? 3 : 2);
}

} // namespace

ModelSpec resolve(const config::ModelConfig& config, const DataShape& data) {
  std::string wrong;
  for (const config::Finding& finding : check(config, data)) {
    wrong += fmt::format(
        "{}{}: {}", wrong.empty() ? "" : "\n", finding.key, finding.text);
  }
  VITRAIN_CHECK(wrong.empty(), ExitCode::kUsage, "{}", wrong);
  ModelSpec spec = *find_model(config.name);
  spec.num_classes = config.num_classes.value_or(data.outputs);
  spec.features = data.features;
  spec.image_size =
      data.features > 0 ? 0 : config.image_size.value_or(spec.image_size);
  spec.channels = config.in_chans.value_or(spec.channels);
  if (spec.family == Family::kVit) {
    apply_vit(config, spec);
  } else if (spec.family == Family::kMlp) {
    spec.mlp.hidden = config.depth.value_or(spec.mlp.hidden);
    spec.mlp.width = config.embed_dim.value_or(spec.mlp.width);
  }
  return spec;
}

std::vector<ModelInfo> list_models() {
  std::vector<ModelInfo> models;
  for (const std::string& name : listed_names()) {
    const ModelSpec spec = *find_model(name);
    models.push_back(
        {.name = name,
         .family = family_name(spec.family),
         .parameters = parameter_count(spec),
         .image_size = spec.image_size,
         .description = describe(spec)});
  }
  return models;
}

} // namespace vitrain::models

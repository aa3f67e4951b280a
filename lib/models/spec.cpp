#include "models/spec.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "models/registry.h"

namespace vitrain::models {
namespace {

ModelSpec by_name(const std::string& name) {
  std::optional<ModelSpec> spec = find_model(name);
  if (!spec) {
    const std::vector<std::string> known = listed_names();
    fail(
        ExitCode::kUsage,
        "model.name: unknown model '{}'.{}\nKnown: {}; and "
        "vit_<size>_patch<P>_<S> with any patch and image size (`vitrain "
        "models` describes them)",
        printable(name),
        did_you_mean(name, known),
        join(known, ", "));
  }
  return *std::move(spec);
}

void refuse(bool given, const char* key, const ModelSpec& spec) {
  VITRAIN_CHECK(
      !given,
      ExitCode::kUsage,
      "model.{}: {} is of the family {}, which has no such option; remove it",
      key,
      spec.name,
      family_name(spec.family));
}

void apply_vit(const config::ModelConfig& config, ModelSpec& spec) {
  VitSpec& vit = spec.vit;
  const double ratio = config.mlp_ratio.value_or(
      static_cast<double>(vit.mlp_dim) / static_cast<double>(vit.embed_dim));
  vit.patch_size = config.patch_size.value_or(vit.patch_size);
  vit.embed_dim = config.embed_dim.value_or(vit.embed_dim);
  vit.depth = config.depth.value_or(vit.depth);
  vit.num_heads = config.num_heads.value_or(vit.num_heads);
  vit.drop_path = config.drop_path;
  vit.dropout = config.dropout;
  vit.attention_dropout = config.attention_dropout;
  VITRAIN_CHECK(
      spec.image_size % vit.patch_size == 0,
      ExitCode::kUsage,
      "model.image_size {} is not a multiple of the patch size {} of {}; set "
      "model.image_size or model.patch_size",
      spec.image_size,
      vit.patch_size,
      spec.name);
  VITRAIN_CHECK(
      vit.embed_dim % vit.num_heads == 0,
      ExitCode::kUsage,
      "model.embed_dim {} is not a multiple of model.num_heads {} ({})",
      vit.embed_dim,
      vit.num_heads,
      spec.name);
  const double hidden = static_cast<double>(vit.embed_dim) * ratio;
  constexpr double kLimit = 1 << 24;
  VITRAIN_CHECK(
      hidden >= 1.0 && hidden <= kLimit,
      ExitCode::kUsage,
      "model.mlp_ratio {} makes an MLP {} wide with model.embed_dim {}; it "
      "must "
      "be in [1, {}]",
      shortest(ratio),
      shortest(hidden),
      vit.embed_dim,
      1 << 24);
  vit.mlp_dim = static_cast<std::int64_t>(hidden);
}

void apply_mlp(const config::ModelConfig& config, ModelSpec& spec) {
  MlpSpec& mlp = spec.mlp;
  if (mlp.hidden == 0) { // linear
    refuse(config.depth.has_value(), "depth", spec);
    refuse(config.embed_dim.has_value(), "embed_dim", spec);
  }
  mlp.hidden = config.depth.value_or(mlp.hidden);
  mlp.width = config.embed_dim.value_or(mlp.width);
}

void check_convnet(const config::ModelConfig& config, const ModelSpec& spec) {
  refuse(config.depth.has_value(), "depth", spec);
  refuse(config.embed_dim.has_value(), "embed_dim", spec);
  VITRAIN_CHECK(
      spec.convnet.grid(spec.image_size) >= 1,
      ExitCode::kUsage,
      "model.image_size {} is too small for {}: its two 5x5 convolutions and "
      "poolings need at least 16 pixels",
      spec.image_size,
      spec.name);
}

// What only a ViT has.
void refuse_vit_options(
    const config::ModelConfig& config,
    const ModelSpec& spec) {
  refuse(config.patch_size.has_value(), "patch_size", spec);
  refuse(config.num_heads.has_value(), "num_heads", spec);
  refuse(config.mlp_ratio.has_value(), "mlp_ratio", spec);
  refuse(config.drop_path != 0.0, "drop_path", spec);
  refuse(config.dropout != 0.0, "dropout", spec);
  refuse(config.attention_dropout != 0.0, "attention_dropout", spec);
}

// What the data are, and what of it the recipe says itself.
void apply_input(
    const config::ModelConfig& config,
    const DataShape& data,
    ModelSpec& spec) {
  spec.features = data.features;
  if (data.features > 0) {
    VITRAIN_CHECK(
        spec.family == Family::kMlp,
        ExitCode::kUsage,
        "model.name: {} takes images, and the data are vectors of {} features; "
        "use linear or mlp",
        spec.name,
        data.features);
    VITRAIN_CHECK(
        !config.image_size && !config.in_chans,
        ExitCode::kUsage,
        "model.{}: the data are vectors and have no such number; remove it",
        config.image_size ? "image_size" : "in_chans");
    spec.image_size = 0;
    return;
  }
  spec.image_size = config.image_size.value_or(spec.image_size);
  spec.channels = config.in_chans.value_or(spec.channels);
  VITRAIN_CHECK(
      spec.channels == 1 || spec.channels == 3,
      ExitCode::kUsage,
      "model.in_chans is {}; it can be 3, or 1 for grey input",
      spec.channels);
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
  ModelSpec spec = by_name(config.name);
  spec.num_classes = config.num_classes.value_or(data.outputs);
  VITRAIN_CHECK(
      spec.num_classes >= data.outputs && spec.num_classes >= 1,
      ExitCode::kUsage,
      "model.num_classes {} is less than the {} classes of the data; use "
      "`auto`",
      spec.num_classes,
      data.outputs);
  VITRAIN_CHECK(
      data.features == 0 || spec.num_classes == data.outputs,
      ExitCode::kUsage,
      "model.num_classes {} is not the number of targets of the data, {}; use "
      "`auto`",
      spec.num_classes,
      data.outputs);
  apply_input(config, data, spec);
  if (spec.family != Family::kVit) {
    refuse_vit_options(config, spec);
  }
  switch (spec.family) {
    case Family::kVit:
      apply_vit(config, spec);
      break;
    case Family::kMlp:
      apply_mlp(config, spec);
      break;
    case Family::kConvNet:
      check_convnet(config, spec);
      break;
    case Family::kResNet:
      refuse(config.depth.has_value(), "depth", spec);
      refuse(config.embed_dim.has_value(), "embed_dim", spec);
      break;
  }
  return spec;
}

std::vector<ModelInfo> list_models() {
  std::vector<ModelInfo> models;
  for (const std::string& name : listed_names()) {
    const ModelSpec spec = by_name(name);
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

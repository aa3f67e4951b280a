#include "models/families/mae.h"

#include <fmt/format.h>

#include "core/text.h"

// Description of masked autoencoders. The network is in
// networks/families/mae.cpp.
namespace vitrain::models {
namespace mae {
namespace {

constexpr MaeSpec with_encoder(
    std::int64_t patch_size,
    std::int64_t embed_dim,
    std::int64_t depth,
    std::int64_t num_heads) {
  MaeSpec mae;
  mae.encoder.patch_size = patch_size;
  mae.encoder.embed_dim = embed_dim;
  mae.encoder.depth = depth;
  mae.encoder.num_heads = num_heads;
  mae.encoder.mlp_dim = 4 * embed_dim;
  return mae;
}

constexpr auto kNetworks = std::to_array<NamedNetwork<MaeSpec>>({
    {"mae_vit_base_patch16", 224, 3, with_encoder(16, 768, 12, 12)},
    {"mae_vit_large_patch16", 224, 3, with_encoder(16, 1024, 24, 16)},
    {"mae_vit_huge_patch14", 224, 3, with_encoder(14, 1280, 32, 16)},
});

std::vector<std::string_view> options(const ModelSpec& /*named*/) {
  return {
      "patch_size",
      "embed_dim",
      "depth",
      "num_heads",
      "mlp_ratio",
      "decoder_embed_dim",
      "decoder_depth",
      "decoder_num_heads",
      "mask_ratio",
      "norm_pix_loss"};
}

// Returns the encoder as a ViT's spec. The rules and keys of a ViT apply to it.
ModelSpec encoder_of(const ModelSpec& spec) {
  ModelSpec encoder = spec;
  encoder.numbers = spec.get<MaeSpec>().encoder;
  return encoder;
}

void apply(const config::ModelConfig& config, ModelSpec& spec) {
  auto mae = spec.get<MaeSpec>();
  const double ratio = config.mlp_ratio.value_or(
      static_cast<double>(mae.decoder.mlp_dim) /
      static_cast<double>(mae.decoder.embed_dim));
  ModelSpec encoder = encoder_of(spec);
  vit::apply(config, encoder);
  mae.encoder = encoder.get<VitSpec>();
  mae.decoder.embed_dim =
      config.decoder_embed_dim.value_or(mae.decoder.embed_dim);
  mae.decoder.depth = config.decoder_depth.value_or(mae.decoder.depth);
  mae.decoder.num_heads =
      config.decoder_num_heads.value_or(mae.decoder.num_heads);
  mae.decoder.mlp_dim = static_cast<std::int64_t>(
      static_cast<double>(mae.decoder.embed_dim) * ratio);
  mae.mask_ratio = config.mask_ratio;
  mae.norm_pix_loss = config.norm_pix_loss;
  spec.numbers = mae;
  spec.num_classes = 0; // no classifier
}

// Reports a width that is not a multiple of 4: position embeddings consist of
// sines and cosines, of the column and of the row.
void check_width(
    std::int64_t width,
    const std::string& key,
    const ModelSpec& named,
    config::Checker& checker) {
  checker.require(
      width % 4 == 0,
      key,
      fmt::format(
          "{} is not a multiple of 4, which the fixed positions of {} need",
          width,
          named.name),
      {"model.name"});
}

void check_decoder(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const VitSpec& decoder = named.get<MaeSpec>().decoder;
  const std::int64_t width =
      config.decoder_embed_dim.value_or(decoder.embed_dim);
  const std::int64_t heads =
      config.decoder_num_heads.value_or(decoder.num_heads);
  check_width(width, "model.decoder_embed_dim", named, checker);
  checker.require(
      width % heads == 0,
      config.decoder_num_heads ? "model.decoder_num_heads"
                               : "model.decoder_embed_dim",
      fmt::format(
          "decoder_embed_dim {} is not a multiple of decoder_num_heads {} ({})",
          width,
          heads,
          named.name),
      {"model.name", "model.decoder_num_heads", "model.decoder_embed_dim"});
}

void check_mask(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  MaeSpec mae = named.get<MaeSpec>();
  mae.mask_ratio = config.mask_ratio;
  const ImageSize size = image_size_of(config, named);
  const std::int64_t patch = config.patch_size.value_or(mae.encoder.patch_size);
  const std::int64_t patches = (size.height / patch) * (size.width / patch);
  const std::int64_t seen = mae.seen(patches);
  checker.require(
      seen > 0 && seen < patches,
      "model.mask_ratio",
      fmt::format(
          "{} leaves {} of the {} patches of {} with image_size {}: at least "
          "one must be seen and one hidden",
          shortest(config.mask_ratio),
          seen,
          patches,
          named.name,
          size.text()),
      {"model.name", "model.image_size", "model.patch_size"});
}

void check(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  vit::check_vit(config, encoder_of(named), checker);
  check_width(
      config.embed_dim.value_or(named.get<MaeSpec>().encoder.embed_dim),
      "model.embed_dim",
      named,
      checker);
  check_decoder(config, named, checker);
  check_mask(config, named, checker);
  checker.require(
      !config.num_classes,
      "model.num_classes",
      fmt::format("{} has no classifier: use `auto`", named.name),
      {"model.name"});
  checker.require(
      config.head_init == config::HeadInit::kAuto,
      "model.head_init",
      fmt::format("{} has no classifier: use auto", named.name),
      {"model.name"});
}

std::string describe(const ModelSpec& spec) {
  const auto& mae = spec.get<MaeSpec>();
  return fmt::format(
      "masked autoencoder: width {}, depth {}, {} heads, {}x{} patches; "
      "decoder: width {}, depth {}, {} heads",
      mae.encoder.embed_dim,
      mae.encoder.depth,
      mae.encoder.num_heads,
      mae.encoder.patch_size,
      mae.encoder.patch_size,
      mae.decoder.embed_dim,
      mae.decoder.depth,
      mae.decoder.num_heads);
}

std::string identity(const ModelSpec& spec) {
  const auto& mae = spec.get<MaeSpec>();
  return fmt::format(
      "image {}, patch {}, width {}, depth {}, heads {}, mlp {}; decoder: "
      "width {}, depth {}, heads {}, mlp {}; {}",
      spec.image_size.text(),
      mae.encoder.patch_size,
      mae.encoder.embed_dim,
      mae.encoder.depth,
      mae.encoder.num_heads,
      mae.encoder.mlp_dim,
      mae.decoder.embed_dim,
      mae.decoder.depth,
      mae.decoder.num_heads,
      mae.decoder.mlp_dim,
      mae.norm_pix_loss ? "normalised pixels" : "pixels");
}

} // namespace
} // namespace mae

const Family kMae{
    .name = "mae",
    .list = names_in<mae::kNetworks>,
    .find = find_in<mae::kNetworks>,
    .options = mae::options,
    .check = mae::check,
    .apply = mae::apply,
    .describe = mae::describe,
    .identity = mae::identity,
    .layers = vit::layers(),
    .learns_pixels = true};

} // namespace vitrain::models

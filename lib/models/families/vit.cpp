#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "models/families/vit.h"

// What the program knows of vision transformers without building one.
namespace vitrain::models {
namespace vit {
namespace {

constexpr std::int64_t kMlpRatio = 4;

struct Size {
  const char* name;
  std::int64_t embed_dim;
  std::int64_t depth;
  std::int64_t num_heads;
};

// Tiny and small: Touvron et al., "Training data-efficient image transformers",
// ICML 2021; the others: Dosovitskiy et al., ICLR 2021.
constexpr std::array kSizes{
    Size{"tiny", 192, 12, 3},
    Size{"small", 384, 12, 6},
    Size{"base", 768, 12, 12},
    Size{"large", 1024, 24, 16},
    Size{"huge", 1280, 32, 16},
};
constexpr std::array<std::int64_t, 4> kPatches{8, 14, 16, 32};
constexpr std::array<std::int64_t, 2> kImages{224, 384};

std::vector<std::string> list() {
  std::vector<std::string> names;
  for (const Size& size : kSizes) {
    for (const std::int64_t patch : kPatches) {
      for (const std::int64_t image : kImages) {
        if (image % patch == 0) {
          names.push_back(
              fmt::format("vit_{}_patch{}_{}", size.name, patch, image));
        }
      }
    }
  }
  return names;
}

std::optional<ModelSpec> find(const std::string& name) {
  const auto parts = split(name, '_');
  constexpr std::string_view kPatch = "patch";
  std::int64_t patch = 0;
  std::int64_t image = 0;
  if (parts.size() != 4 || parts[0] != "vit" || !parts[2].starts_with(kPatch) ||
      !parse_size(std::string_view(parts[2]).substr(kPatch.size()), patch) ||
      !parse_size(parts[3], image)) {
    return std::nullopt;
  }
  for (const Size& size : kSizes) {
    if (parts[1] == size.name) {
      ModelSpec spec;
      spec.image_size = image;
      spec.numbers = VitSpec{
          .patch_size = patch,
          .embed_dim = size.embed_dim,
          .depth = size.depth,
          .num_heads = size.num_heads,
          .mlp_dim = kMlpRatio * size.embed_dim};
      return spec;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> options(const ModelSpec& /*named*/) {
  return {
      "patch_size",
      "embed_dim",
      "depth",
      "num_heads",
      "mlp_ratio",
      "drop_path",
      "dropout",
      "attention_dropout"};
}

// The hidden width of the MLP, by mlp_ratio or the name's own ratio.
double mlp_width(const config::ModelConfig& config, const VitSpec& named) {
  const double ratio = config.mlp_ratio.value_or(
      static_cast<double>(named.mlp_dim) /
      static_cast<double>(named.embed_dim));
  return static_cast<double>(config.embed_dim.value_or(named.embed_dim)) *
      ratio;
}

// A finding is at the key that somebody has set.
void check_vit(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  constexpr const char* kName = "model.name";
  const auto& vit = named.get<VitSpec>();
  const std::int64_t size = config.image_size.value_or(named.image_size);
  const std::int64_t patch = config.patch_size.value_or(vit.patch_size);
  const std::int64_t width = config.embed_dim.value_or(vit.embed_dim);
  const std::int64_t heads = config.num_heads.value_or(vit.num_heads);
  checker.require(
      size % patch == 0,
      config.image_size       ? "model.image_size"
          : config.patch_size ? "model.patch_size"
                              : kName,
      fmt::format(
          "image_size {} is not a multiple of the patch size {} of {}; set "
          "model.image_size or model.patch_size",
          size,
          patch,
          named.name),
      {kName, "model.image_size", "model.patch_size"});
  checker.require(
      width % heads == 0,
      config.num_heads       ? "model.num_heads"
          : config.embed_dim ? "model.embed_dim"
                             : kName,
      fmt::format(
          "embed_dim {} is not a multiple of num_heads {} ({})",
          width,
          heads,
          named.name),
      {kName, "model.num_heads", "model.embed_dim"});
  const double hidden = mlp_width(config, vit);
  constexpr double kLimit = 1 << 24;
  checker.require(
      hidden >= 1.0 && hidden <= kLimit,
      "model.mlp_ratio",
      fmt::format(
          "mlp_ratio {} makes an MLP {} wide with model.embed_dim {}; it "
          "must be in [1, {}]",
          shortest(hidden / static_cast<double>(width)),
          shortest(hidden),
          width,
          1 << 24),
      {kName, "model.embed_dim"});
}

void apply(const config::ModelConfig& config, ModelSpec& spec) {
  auto vit = spec.get<VitSpec>();
  vit.mlp_dim = static_cast<std::int64_t>(mlp_width(config, vit));
  vit.patch_size = config.patch_size.value_or(vit.patch_size);
  vit.embed_dim = config.embed_dim.value_or(vit.embed_dim);
  vit.depth = config.depth.value_or(vit.depth);
  vit.num_heads = config.num_heads.value_or(vit.num_heads);
  vit.dropout = config.dropout;
  vit.attention_dropout = config.attention_dropout;
  spec.numbers = vit;
}

std::string describe(const ModelSpec& spec) {
  const auto& vit = spec.get<VitSpec>();
  return fmt::format(
      "width {}, depth {}, {} heads, {}x{} patches",
      vit.embed_dim,
      vit.depth,
      vit.num_heads,
      vit.patch_size,
      vit.patch_size);
}

std::string identity(const ModelSpec& spec) {
  const auto& vit = spec.get<VitSpec>();
  return fmt::format(
      "image {}, patch {}, width {}, depth {}, heads {}, mlp {}",
      spec.image_size,
      vit.patch_size,
      vit.embed_dim,
      vit.depth,
      vit.num_heads,
      vit.mlp_dim);
}

// See vit.cpp. What linear layers and attention take and give has `e` bytes a
// number; the sums of the residual branches stay in fp32.
ActivationBytes activations(const ModelSpec& spec, bool bf16) {
  const auto& net = spec.get<VitSpec>();
  const std::int64_t e = bf16 ? 2 : kFp32Bytes;
  const std::int64_t grid = spec.image_size / net.patch_size;
  const std::int64_t patches = grid * grid;
  const std::int64_t tokens = patches + 1;
  const std::int64_t width = net.embed_dim;
  // softmax(q k^T) is kept where products make it: in fp32 and rounded.
  const bool products = bf16 || net.attention_dropout > 0.0;
  const std::int64_t weights = net.num_heads * tokens * tokens;
  const std::int64_t attention =
      (products ? weights * (bf16 ? kFp32Bytes + e : kFp32Bytes) : 0) +
      (net.attention_dropout > 0.0 ? weights * (e + 1) : 0);
  // Inputs of both norms; both norms, q, k, v and attention, two results of the
  // MLP's first layer.
  const std::int64_t sums = 2 * tokens * width * kFp32Bytes;
  const std::int64_t branches =
      tokens * (6 * width + 2 * net.mlp_dim) * e + attention;
  const std::int64_t dropped =
      spec.drop_path > 0.0 ? 2 * tokens * width * e : 0;
  // Masks, and what they leave of three results of width and one of the MLP.
  const std::int64_t masked =
      net.dropout > 0.0 ? tokens * (2 * width + net.mlp_dim) * (1 + e) : 0;
  const std::int64_t block = sums + branches + dropped + masked;
  // Of the last block only keys and values are of all tokens.
  const std::int64_t last =
      tokens * width * kFp32Bytes + 3 * tokens * width * e + attention / tokens;
  const std::int64_t pixels = spec.input_numbers();
  const std::int64_t start =
      pixels * (kFp32Bytes + e) + 2 * tokens * width * kFp32Bytes;
  return {
      .kept = start + (net.depth - 1) * block + last,
      .passing = pixels * kFp32Bytes + tokens * width * 3 * kFp32Bytes +
          std::max(tokens * 2 * net.mlp_dim * e,
                   4 * tokens * width * e + attention)};
}

} // namespace
} // namespace vit

const Family kVit{
    .name = "vit",
    .pattern = "vit_<size>_patch<P>_<S> with any patch and image size",
    .list = vit::list,
    .find = vit::find,
    .options = vit::options,
    .check = vit::check_vit,
    .apply = vit::apply,
    .describe = vit::describe,
    .identity = vit::identity,
    .activations = vit::activations};

} // namespace vitrain::models

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "models/families/vit.h"
#include "models/families/vit_names.h"

// Description of vision transformers. The network is in
// networks/families/vit.cpp.
namespace vitrain::models {
namespace vit {
namespace {

std::vector<std::string_view> options(const ModelSpec& /*named*/) {
  return {
      "patch_size",
      "embed_dim",
      "depth",
      "num_heads",
      "mlp_ratio",
      "drop_path",
      "dropout",
      "attention_dropout",
      "global_pool"};
}

// Returns the hidden width of the MLP before rounding: embed_dim times
// mlp_ratio, or times the named network's ratio.
double mlp_width(const config::ModelConfig& config, const VitSpec& named) {
  const double ratio = config.mlp_ratio.value_or(
      static_cast<double>(named.mlp_dim) /
      static_cast<double>(named.embed_dim));
  return static_cast<double>(config.embed_dim.value_or(named.embed_dim)) *
      ratio;
}

// Reports a model.global_pool that the network does not support.
void check_pool(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  using config::GlobalPool;
  const auto& vit = named.get<VitSpec>();
  const bool reads_token = vit.pool == VitSpec::Pool::kToken;
  const bool averages = vit.pool == VitSpec::Pool::kAverage;
  const bool possible = config.global_pool == GlobalPool::kAuto ||
      (config.global_pool == GlobalPool::kToken && reads_token) ||
      (config.global_pool == GlobalPool::kAvg &&
       (averages || (reads_token && !vit.distilled)));
  checker.require(
      possible,
      "model.global_pool",
      fmt::format(
          "{} is not for {}, whose classifier reads {}: set auto",
          name_of(config.global_pool),
          named.name,
          averages            ? "the mean of the patches"
              : vit.distilled ? "the class token and the distillation token"
              : reads_token   ? "the class token"
                              : "a learned query over the patches"),
      {"model.name"});
}

} // namespace

// Checks the numbers of a ViT. Findings name the key that the user set.
void check_vit(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  constexpr const char* kName = "model.name";
  const auto& vit = named.get<VitSpec>();
  const ImageSize size = image_size_of(config, named);
  const std::int64_t patch = config.patch_size.value_or(vit.patch_size);
  const bool own = size == named.image_size && patch == vit.patch_size;
  const std::int64_t width = config.embed_dim.value_or(vit.embed_dim);
  const std::int64_t heads = config.num_heads.value_or(vit.num_heads);
  checker.require(
      (size.height % patch == 0 && size.width % patch == 0) ||
          (own && vit.leaves_pixels),
      config.image_size       ? "model.image_size"
          : config.patch_size ? "model.patch_size"
                              : kName,
      fmt::format(
          "image_size {} is not a multiple of the patch size {} of {}; set "
          "model.image_size or model.patch_size",
          size.text(),
          patch,
          named.name),
      {kName, "model.image_size", "model.patch_size"});
  checker.require(
      width % (vit.differential ? 2 * heads : heads) == 0,
      config.num_heads       ? "model.num_heads"
          : config.embed_dim ? "model.embed_dim"
                             : kName,
      fmt::format(
          "embed_dim {} is not a multiple of {}num_heads {} ({})",
          width,
          vit.differential ? "twice " : "",
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
  check_pool(config, named, checker);
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
  // timm's use_fc_norm (timm/models/vision_transformer.py). The class token
  // still passes through the blocks.
  if (config.global_pool == config::GlobalPool::kAvg &&
      vit.pool == VitSpec::Pool::kToken) {
    vit.pool = VitSpec::Pool::kAverage;
    vit.norm_after_pool = true;
  }
  spec.numbers = vit;
}

namespace {

// Returns the differences from the plain network as text: ", 4 registers, ...".
std::string variant_text(const VitSpec& vit) {
  using Pool = VitSpec::Pool;
  using Mlp = VitSpec::Mlp;
  using Block = VitSpec::Block;
  std::string text;
  const auto add = [&](bool differs, const std::string& what) {
    text += differs ? ", " + what : "";
  };
  add(vit.distilled, "distillation token");
  add(vit.registers > 0, counted(vit.registers, "register"));
  add(vit.pool == Pool::kAverage, "average pooling");
  add(vit.pool == Pool::kAttention, "attention pooling");
  add(vit.norm_after_pool, "norm after pooling");
  add(vit.norm_before_blocks, "norm before blocks");
  add(vit.class_token && !vit.prefix_positions, "class token without position");
  add(!vit.final_norm, "no last norm");
  add(vit.block == Block::kPostNorm, "norm behind attention and MLP");
  add(vit.block == Block::kParallel, "parallel attention and MLP");
  add(vit.block == Block::kPaired, "pairs of attentions and MLPs");
  add(vit.layer_scale > 0.0 && vit.block != Block::kPostNorm, "layer scale");
  add(vit.rms_norm, "RMS norm");
  add(!vit.qkv_bias, "no bias of queries");
  add(vit.qk_norm, "norm of queries and keys");
  add(vit.differential, "differential attention");
  add(vit.mlp == Mlp::kGeluTanh, "approximate GELU");
  add(vit.mlp == Mlp::kQuickGelu, "quick GELU");
  add(vit.mlp == Mlp::kSwiGlu, "SwiGLU");
  return text;
}

std::string describe(const ModelSpec& spec) {
  const auto& vit = spec.get<VitSpec>();
  return fmt::format(
      "width {}, depth {}, {} heads, {}x{} patches{}",
      vit.embed_dim,
      vit.depth,
      vit.num_heads,
      vit.patch_size,
      vit.patch_size,
      variant_text(vit));
}

std::string identity(const ModelSpec& spec) {
  const auto& vit = spec.get<VitSpec>();
  return fmt::format(
      "image {}, patch {}, width {}, depth {}, heads {}, mlp {}{}",
      spec.image_size.text(),
      vit.patch_size,
      vit.embed_dim,
      vit.depth,
      vit.num_heads,
      vit.mlp_dim,
      variant_text(vit));
}

std::int64_t tokens_of(const ModelSpec& spec) {
  return patch_grid<VitSpec>(spec).area() + spec.get<VitSpec>().prefix();
}

// Bytes of one attention's softmax weights that backward needs.
std::int64_t attention_bytes(const ModelSpec& spec, bool bf16) {
  const auto& net = spec.get<VitSpec>();
  const std::int64_t e = bf16 ? 2 : kFp32Bytes;
  // Unfused attention keeps softmax(q k^T) in fp32 and a rounded copy. No fused
  // kernel supports a differential head, which has two attention maps and
  // values wider than queries.
  const bool products = bf16 || net.attention_dropout > 0.0 || net.differential;
  const std::int64_t tokens = tokens_of(spec);
  const std::int64_t weights =
      (net.differential ? 2 : 1) * net.num_heads * tokens * tokens;
  return (products ? weights * (bf16 ? kFp32Bytes + e : kFp32Bytes) : 0) +
      (net.attention_dropout > 0.0 ? weights * (e + 1) : 0);
}

// Bytes of one block's activations that backward needs. Inputs and outputs of
// linear layers and attention have `e` bytes per value; residual sums stay in
// fp32.
std::int64_t block_bytes(const ModelSpec& spec, bool bf16) {
  const auto& net = spec.get<VitSpec>();
  const std::int64_t e = bf16 ? 2 : kFp32Bytes;
  const std::int64_t values = tokens_of(spec) * net.embed_dim;
  const std::int64_t hidden = tokens_of(spec) * net.mlp_dim;
  const std::int64_t pairs = net.block == VitSpec::Block::kPaired ? 2 : 1;
  // Equals the number of residual branches.
  const std::int64_t norms =
      net.block == VitSpec::Block::kParallel ? 1 : 2 * pairs;
  // Inputs of the norms; RMSNorm also keeps the normalised values.
  const std::int64_t taken =
      (net.rms_norm ? 2 * norms : norms) * values * kFp32Bytes;
  // Outputs of the norms; q, k, v and the attention output; hidden values
  // before and after activation; normed queries and keys; both maps of a
  // differential head.
  const std::int64_t branches = norms * values * e +
      pairs * ((4 * values + 2 * hidden) * e + attention_bytes(spec, bf16)) +
      pairs * ((net.qk_norm ? 2 : 0) + (net.differential ? 4 : 0)) * values * e;
  const std::int64_t dropped = spec.drop_path > 0.0 ? norms * values * e : 0;
  // Dropout masks and outputs.
  const std::int64_t masked =
      net.dropout > 0.0 ? (norms * values + pairs * hidden) * (1 + e) : 0;
  const std::int64_t scaled = net.layer_scale > 0.0 ? norms * values * e : 0;
  return taken + branches + dropped + masked + scaled;
}

// Estimates the tensors that networks/families/vit.cpp keeps for backward.
ActivationBytes activations(const ModelSpec& spec, bool bf16) {
  const auto& net = spec.get<VitSpec>();
  const std::int64_t e = bf16 ? 2 : kFp32Bytes;
  const std::int64_t tokens = tokens_of(spec);
  const std::int64_t values = tokens * net.embed_dim;
  const std::int64_t attention = attention_bytes(spec, bf16);
  const std::int64_t block = block_bytes(spec, bf16);
  // With token pooling, the last block computes keys and values for all tokens
  // but queries only for the class token. Otherwise the last norm keeps its
  // input, too.
  const std::int64_t last = net.pool == VitSpec::Pool::kToken
      ? values * kFp32Bytes + 3 * values * e + attention / tokens
      : block + values * (kFp32Bytes + 3 * e);
  const std::int64_t pixels = spec.input_numbers();
  const std::int64_t start =
      pixels * (kFp32Bytes + e) + 2 * values * kFp32Bytes;
  return {
      .kept = start + (net.depth - 1) * block + last,
      .passing = pixels * kFp32Bytes + values * 3 * kFp32Bytes +
          std::max(tokens * 2 * net.mlp_dim * e, 4 * values * e + attention)};
}

bool two_heads(const ModelSpec& spec) {
  return spec.get<VitSpec>().distilled;
}

// Returns the description that ViT and DeiT share.
Family family(
    const char* name,
    const char* pattern,
    decltype(Family::list) list,
    decltype(Family::find) find) {
  return {
      .name = name,
      .pattern = pattern,
      .list = list,
      .find = find,
      .options = options,
      .check = check_vit,
      .apply = apply,
      .describe = describe,
      .identity = identity,
      .activations = activations,
      .classifier = {"head.", "head_dist."},
      .layers = layers(),
      .grid = patch_grid<VitSpec>,
      .resampling =
          [](const ModelSpec& spec) { return spec.get<VitSpec>().resampling; },
      .two_heads = two_heads,
      .any_image_size = true};
}

} // namespace
} // namespace vit

const Family kVit = vit::family(
    "vit",
    "vit_<size>_patch<P>[_<variant>]_<S> with any patch and image size",
    vit::vit_names,
    vit::find_vit);

const Family kDeit = vit::family(
    "deit",
    /*pattern=*/nullptr,
    vit::deit_names,
    vit::find_deit);

} // namespace vitrain::models

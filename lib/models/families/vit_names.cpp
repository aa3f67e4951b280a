#include "models/families/vit_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "models/families/vit.h"

namespace vitrain::models::vit {
namespace {

using Pool = VitSpec::Pool;

struct Size {
  const char* name;
  std::int64_t embed_dim;
  std::int64_t depth;
  std::int64_t num_heads;
  std::int64_t mlp_dim;
};

// Sources of the sizes. tiny and small: Touvron et al., ICML 2021; base to
// huge: Dosovitskiy et al., ICLR 2021; giant, gigantic: Zhai et al., "Scaling
// vision transformers", CVPR 2022; so...: Alabdulmohsin et al., "Getting ViT in
// shape", NeurIPS 2023; all others: timm (timm/models/vision_transformer.py of
// 1.0).
constexpr std::array kSizes{
    Size{"tiny", 192, 12, 3, 768},
    Size{"wee", 256, 14, 4, 1280},
    Size{"dwee", 256, 14, 4, 1280}, // differential attention
    Size{"pwee", 256, 16, 4, 1280}, // parallel blocks
    Size{"dpwee", 256, 16, 4, 1280}, // differential attention, parallel blocks
    Size{"xsmall", 256, 10, 4, 1024},
    Size{"little", 320, 14, 5, 1792},
    Size{"dlittle", 320, 14, 5, 1792}, // differential attention
    Size{"small", 384, 12, 6, 1536},
    Size{"medium", 512, 12, 8, 2048},
    Size{"mediumd", 512, 20, 8, 2048},
    Size{"betwixt", 640, 12, 10, 2560},
    Size{"base", 768, 12, 12, 3072},
    Size{"so150m2", 832, 21, 13, 2176},
    Size{"so150m", 896, 18, 14, 2304},
    Size{"large", 1024, 24, 16, 4096},
    Size{"intern300m", 1024, 24, 16, 4096},
    Size{"so400m", 1152, 27, 16, 4304},
    Size{"huge", 1280, 32, 16, 5120},
    Size{"giant", 1408, 40, 16, 6144},
    Size{"giantopt", 1536, 40, 16, 6144},
    Size{"gigantic", 1664, 48, 16, 8192},
};

constexpr std::int64_t kFlexiImage = 240;
constexpr std::int64_t kDinoImage = 518;
constexpr std::int64_t kTipsImage = 448;

// Parsed parts of a model name.
struct Parts {
  std::string_view size;
  std::int64_t patch = 16;
  std::int64_t image = 0;
  // Words between patch and image size: "reg4", "gap".
  std::vector<std::string> variant;

  bool has(std::string_view word) const {
    return std::ranges::find(variant, word) != variant.end();
  }
  bool is_size(std::initializer_list<std::string_view> sizes) const {
    return std::ranges::find(sizes, size) != sizes.end();
  }
};

bool parse_patch(std::string_view text, std::int64_t& patch) {
  constexpr std::string_view kPatch = "patch";
  return text.starts_with(kPatch) &&
      parse_size(text.substr(kPatch.size()), patch);
}

const Size* find_size(std::string_view name) {
  const auto* found = std::ranges::find(kSizes, name, &Size::name);
  return found == kSizes.end() ? nullptr : found;
}

VitSpec spec_of(const Size& size, std::int64_t patch) {
  return {
      .patch_size = patch,
      .embed_dim = size.embed_dim,
      .depth = size.depth,
      .num_heads = size.num_heads,
      .mlp_dim = size.mlp_dim};
}

// Sets the options that a size implies, such as the type of blocks.
void use_size(const Parts& parts, VitSpec& vit) {
  if (parts.is_size({"pwee", "dpwee"})) {
    vit.block = VitSpec::Block::kParallel;
  }
  vit.differential = parts.is_size({"dwee", "dpwee", "dlittle"});
  if (parts.is_size({"intern300m"})) {
    vit.layer_scale = 0.1;
    vit.final_norm = false;
  }
}

// True if the size implies no options besides widths and depth.
bool is_plain(const Size& size) {
  VitSpec vit;
  use_size(Parts{.size = size.name, .variant = {}}, vit);
  return vit == VitSpec();
}

void use_parallel(VitSpec& vit) {
  vit.block = VitSpec::Block::kParallel;
  vit.norm_before_blocks = true;
  vit.prefix_positions = false;
  vit.rms_norm = true;
  vit.qk_norm = true;
  vit.qkv_bias = false;
}

void use_post_norm(VitSpec& vit) {
  vit.block = VitSpec::Block::kPostNorm;
  vit.class_token = false;
  vit.pool = Pool::kAverage;
  vit.norm_after_pool = true;
  vit.layer_scale = 1e-5;
  vit.qkv_bias = false;
}

// Sets the options of DINOv2. TIPSv2 has the same layers.
void use_dino(const Parts& parts, double layer_scale, VitSpec& vit) {
  vit.layer_scale = layer_scale;
  vit.prefix_positions = vit.registers == 0;
  if (parts.is_size({"giant"})) { // differs from the "giant" of other networks
    vit.embed_dim = 1536;
    vit.num_heads = 24;
    vit.mlp_dim = 8192;
    vit.mlp = VitSpec::Mlp::kSwiGlu;
  }
}

void use_siglip(const Parts& parts, VitSpec& vit) {
  vit.class_token = false;
  vit.pool = parts.has("gap") ? Pool::kAverage : Pool::kAttention;
  // SigLIP 2 networks use the tanh approximation of GELU.
  const bool second = vit.patch_size == 32 || parts.is_size({"giantopt"}) ||
      (parts.is_size({"large"}) && parts.image == 512) ||
      (parts.is_size({"so400m"}) && vit.patch_size == 16);
  vit.mlp = second ? VitSpec::Mlp::kGeluTanh : VitSpec::Mlp::kGelu;
  vit.leaves_pixels =
      parts.is_size({"so400m"}) && vit.patch_size == 14 && parts.image == 384;
}

// Sets the options of networks with average pooling. Details depend on the
// size.
void use_average(const Parts& parts, VitSpec& vit) {
  vit.class_token = false;
  vit.pool = Pool::kAverage;
  const bool so = parts.is_size({"so150m", "so150m2"});
  if (vit.registers > 0) {
    vit.prefix_positions = so;
    vit.norm_after_pool = !parts.is_size({"so150m"});
    vit.layer_scale = parts.is_size({"base", "so150m"}) ? 0.0 : 1e-5;
    vit.qkv_bias = !parts.is_size({"so150m2"});
  } else if (parts.is_size({"medium", "betwixt"})) {
    vit.layer_scale = 1e-6;
    vit.qkv_bias = false;
  } else if (parts.is_size({"base"})) {
    vit.num_heads = 16;
  }
}

void use_plus(const Parts& parts, VitSpec& vit) {
  vit.embed_dim = 896;
  vit.num_heads = 14;
  vit.mlp_dim = 4 * vit.embed_dim;
  vit.layer_scale = parts.has("clip") ? 0.0 : 1e-5;
}

// Parses N of a variant word "regN". Returns false for any other word.
bool parse_registers(std::string_view word, std::int64_t& count) {
  return word.starts_with("reg") && parse_size(word.substr(3), count);
}

// Applies the size and the words of the name to `vit`. Returns false if a word
// is unknown or cannot be combined with the others.
bool apply_variant(const Parts& parts, VitSpec& vit) {
  const bool siglip = parts.has("siglip");
  std::size_t known = 0;
  use_size(parts, vit);
  for (const std::string& word : parts.variant) {
    known += parse_registers(word, vit.registers) ? 1 : 0;
  }
  const auto use = [&](std::string_view word, auto&& change) {
    if (parts.has(word)) {
      ++known;
      change();
    }
  };
  use("plus", [&] { use_plus(parts, vit); });
  use("clip", [&] {
    vit.norm_before_blocks = true;
    vit.norm_eps = 1e-5;
  });
  use("quickgelu", [&] { vit.mlp = VitSpec::Mlp::kQuickGelu; });
  use("miil", [&] { vit.qkv_bias = false; });
  use("36x1", [&] {
    vit.depth = 36;
    vit.layer_scale = 1e-5;
  });
  use("18x2", [&] {
    vit.block = VitSpec::Block::kPaired;
    vit.depth = 18;
    vit.layer_scale = 1e-5;
  });
  use("xp", [&] { use_parallel(vit); });
  use("rpn", [&] { use_post_norm(vit); });
  use("dinov2", [&] { use_dino(parts, /*layer_scale=*/1e-5, vit); });
  use("tipsv2", [&] { use_dino(parts, /*layer_scale=*/1.0, vit); });
  use("siglip", [&] { use_siglip(parts, vit); });
  use("gap", [&] {
    if (!siglip) {
      use_average(parts, vit);
    }
  });
  use("map", [&] {
    vit.class_token = false;
    vit.pool = Pool::kAttention;
  });
  return known == parts.variant.size();
}

ModelSpec model_of(std::int64_t image, const VitSpec& vit) {
  ModelSpec spec;
  spec.image_size = image;
  spec.numbers = vit;
  return spec;
}

std::optional<ModelSpec> find_flexi(const std::string& name) {
  const Size* size = find_size(std::string_view(name).substr(kFlexi.size()));
  if (size == nullptr || !is_plain(*size)) {
    return std::nullopt;
  }
  VitSpec vit = spec_of(*size, /*patch=*/16);
  vit.prefix_positions = false;
  // Bilinear without antialiasing (_create_vision_transformer in timm's
  // vision_transformer.py).
  vit.resampling = Resampling::kTimmNpz;
  return model_of(kFlexiImage, vit);
}

} // namespace

std::optional<ModelSpec> find_vit(const std::string& name) {
  if (name.starts_with(kFlexi)) {
    return find_flexi(name);
  }
  std::vector<std::string> words = split(name, '_');
  if (words.size() > 1 && words.back() == "miil") { // follows the image size
    std::swap(words.back(), words[words.size() - 2]);
  }
  Parts parts;
  if (words.size() < 4 || words[0] != "vit" ||
      !parse_patch(words[2], parts.patch)) {
    return std::nullopt;
  }
  parts.size = words[1];
  const bool sized = parse_size(words.back(), parts.image);
  parts.variant = {words.begin() + 3, words.end() - (sized ? 1 : 0)};
  if (!sized) {
    parts.image = words.back() == "dinov2" ? kDinoImage
        : words.back() == "tipsv2"         ? kTipsImage
                                           : 0;
  }
  const Size* size = find_size(parts.size);
  if (size == nullptr || parts.image == 0) {
    return std::nullopt;
  }
  VitSpec vit = spec_of(*size, parts.patch);
  if (!apply_variant(parts, vit)) {
    return std::nullopt;
  }
  return model_of(parts.image, vit);
}

std::optional<ModelSpec> find_deit(const std::string& name) {
  const std::vector<std::string> words = split(name, '_');
  const bool third = words[0] == "deit3";
  const bool distilled = !third && words.size() == 5 && words[2] == "distilled";
  std::int64_t patch = 0;
  std::int64_t image = 0;
  if ((words[0] != "deit" && !third) || words.size() != (distilled ? 5 : 4) ||
      !parse_patch(words[distilled ? 3 : 2], patch) ||
      !parse_size(words.back(), image)) {
    return std::nullopt;
  }
  const Size* size = find_size(words[1]);
  if (size == nullptr || !is_plain(*size)) {
    return std::nullopt;
  }
  VitSpec vit = spec_of(*size, patch);
  vit.distilled = distilled;
  if (third) {
    vit.prefix_positions = false;
    vit.layer_scale = 1e-6;
  }
  return model_of(image, vit);
}

} // namespace vitrain::models::vit

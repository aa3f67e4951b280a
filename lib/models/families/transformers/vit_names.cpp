#include "models/families/transformers/vit_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text/text.h"
#include "models/families/transformers/vit.h"

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

// Tiny and small: Touvron et al., ICML 2021; base to huge: Dosovitskiy et al.,
// ICLR 2021; giant, gigantic: Zhai et al., "Scaling vision transformers", CVPR
// 2022; so...: Alabdulmohsin et al., "Getting ViT in shape", NeurIPS 2023; the
// others are timm's own (timm/models/vision_transformer.py of 1.0).
constexpr std::array kSizes{
    Size{"tiny", 192, 12, 3, 768},
    Size{"wee", 256, 14, 4, 1280},
    Size{"xsmall", 256, 10, 4, 1024},
    Size{"little", 320, 14, 5, 1792},
    Size{"small", 384, 12, 6, 1536},
    Size{"medium", 512, 12, 8, 2048},
    Size{"mediumd", 512, 20, 8, 2048},
    Size{"betwixt", 640, 12, 10, 2560},
    Size{"base", 768, 12, 12, 3072},
    Size{"so150m2", 832, 21, 13, 2176},
    Size{"so150m", 896, 18, 14, 2304},
    Size{"large", 1024, 24, 16, 4096},
    Size{"so400m", 1152, 27, 16, 4304},
    Size{"huge", 1280, 32, 16, 5120},
    Size{"giant", 1408, 40, 16, 6144},
    Size{"giantopt", 1536, 40, 16, 6144},
    Size{"gigantic", 1664, 48, 16, 8192},
};

// The plain ones stand in every combination.
constexpr std::array<const char*, 5> kPlainSizes{
    "tiny",
    "small",
    "base",
    "large",
    "huge"};
constexpr std::array<std::int64_t, 4> kPlainPatches{8, 14, 16, 32};
constexpr std::array<std::int64_t, 2> kPlainImages{224, 384};

// Networks that are listed, with all of their image sizes; 0: not in the name.
struct Listed {
  const char* size;
  std::int64_t patch;
  const char* variant;
  std::array<std::int64_t, 5> images{};
};

constexpr auto kListed = std::to_array<Listed>({
    {"giant", 14, "", {224}},
    {"gigantic", 14, "", {224}},
    {"small", 16, "36x1", {224}},
    {"base", 32, "plus", {256}},
    {"base", 16, "plus", {240}},
    {"medium", 16, "gap", {240, 256, 384}},
    {"betwixt", 16, "gap", {256}},
    {"base", 16, "gap", {224}},
    {"huge", 14, "gap", {224}},
    {"huge", 16, "gap", {448}},
    {"giant", 16, "gap", {224}},
    {"wee", 16, "reg1_gap", {256}},
    {"little", 16, "reg1_gap", {256}},
    {"little", 16, "reg4_gap", {256}},
    {"medium", 16, "reg1_gap", {256}},
    {"medium", 16, "reg4_gap", {256}},
    {"mediumd", 16, "reg4_gap", {256, 384}},
    {"betwixt", 16, "reg1_gap", {256}},
    {"betwixt", 16, "reg4_gap", {256, 384}},
    {"base", 16, "reg4_gap", {256}},
    {"so150m", 16, "reg4_map", {256}},
    {"so150m", 16, "reg4_gap", {256, 384}},
    {"so150m2", 16, "reg1_gap", {256, 384, 448}},
    {"xsmall", 16, "clip", {224}},
    {"medium", 32, "clip", {224}},
    {"medium", 16, "clip", {224}},
    {"betwixt", 32, "clip", {224}},
    {"base", 32, "clip", {224, 256, 384, 448}},
    {"base", 16, "clip", {224, 384}},
    {"base", 16, "plus_clip", {240}},
    {"large", 14, "clip", {224, 336}},
    {"huge", 14, "clip", {224, 336, 378}},
    {"giant", 14, "clip", {224}},
    {"gigantic", 14, "clip", {224, 378}},
    {"base", 32, "clip_quickgelu", {224}},
    {"base", 16, "clip_quickgelu", {224}},
    {"large", 14, "clip_quickgelu", {224, 336}},
    {"huge", 14, "clip_quickgelu", {224, 378}},
    {"gigantic", 14, "clip_quickgelu", {224}},
    {"small", 14, "dinov2", {0}},
    {"base", 14, "dinov2", {0}},
    {"large", 14, "dinov2", {0}},
    {"giant", 14, "dinov2", {0}},
    {"small", 14, "reg4_dinov2", {0}},
    {"base", 14, "reg4_dinov2", {0}},
    {"large", 14, "reg4_dinov2", {0}},
    {"giant", 14, "reg4_dinov2", {0}},
    {"base", 32, "siglip", {256}},
    {"base", 16, "siglip", {224, 256, 384, 512}},
    {"large", 16, "siglip", {256, 384, 512}},
    {"so400m", 14, "siglip", {224, 378}},
    {"so400m", 16, "siglip", {256, 384, 512}},
    {"giantopt", 16, "siglip", {256, 384}},
    {"base", 32, "siglip_gap", {256}},
    {"base", 16, "siglip_gap", {224, 256, 384, 512}},
    {"large", 16, "siglip_gap", {256, 384, 512}},
    {"so400m", 14, "siglip_gap", {224, 378, 448, 896}},
    {"so400m", 16, "siglip_gap", {256, 384, 512}},
    {"giantopt", 16, "siglip_gap", {256, 384}},
});

constexpr std::string_view kFlexi = "flexivit_";
constexpr std::int64_t kFlexiImage = 240;
constexpr std::int64_t kDinoImage = 518;

// What a name is made of.
struct Parts {
  std::string_view size;
  std::int64_t patch = 16;
  std::int64_t image = 0;
  std::vector<std::string> variant; // "reg4", "gap"

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

void use_dinov2(const Parts& parts, VitSpec& vit) {
  vit.layer_scale = 1e-5;
  vit.prefix_positions = vit.registers == 0;
  if (parts.is_size({"giant"})) { // not the giant of the others
    vit.embed_dim = 1536;
    vit.num_heads = 24;
    vit.mlp_dim = 8192;
    vit.mlp = VitSpec::Mlp::kSwiGlu;
  }
}

void use_siglip(const Parts& parts, VitSpec& vit) {
  vit.class_token = false;
  vit.pool = parts.has("gap") ? Pool::kAverage : Pool::kAttention;
  // Those of SigLIP 2 have the approximate GELU.
  const bool second = vit.patch_size == 32 || parts.is_size({"giantopt"}) ||
      (parts.is_size({"large"}) && parts.image == 512) ||
      (parts.is_size({"so400m"}) && vit.patch_size == 16);
  vit.mlp = second ? VitSpec::Mlp::kGeluTanh : VitSpec::Mlp::kGelu;
}

// Average pooling, which differs from size to size.
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

// The word "regN" of the variant: N.
bool parse_registers(std::string_view word, std::int64_t& count) {
  return word.starts_with("reg") && parse_size(word.substr(3), count);
}

// False where a word is not known, or does not stand beside the others.
bool apply_variant(const Parts& parts, VitSpec& vit) {
  const bool siglip = parts.has("siglip");
  std::size_t known = 0;
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
  use("dinov2", [&] { use_dinov2(parts, vit); });
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
  if (size == nullptr) {
    return std::nullopt;
  }
  VitSpec vit = spec_of(*size, /*patch=*/16);
  vit.prefix_positions = false;
  return model_of(kFlexiImage, vit);
}

} // namespace

std::vector<std::string> vit_names() {
  std::vector<std::string> names;
  for (const char* size : kPlainSizes) {
    for (const std::int64_t patch : kPlainPatches) {
      for (const std::int64_t image : kPlainImages) {
        if (image % patch == 0) {
          names.push_back(fmt::format("vit_{}_patch{}_{}", size, patch, image));
        }
      }
    }
  }
  for (const Listed& listed : kListed) {
    const std::string start = fmt::format(
        "vit_{}_patch{}{}{}",
        listed.size,
        listed.patch,
        *listed.variant == '\0' ? "" : "_",
        listed.variant);
    if (listed.images[0] == 0) {
      names.push_back(start);
    }
    for (const std::int64_t image : listed.images) {
      if (image > 0) {
        names.push_back(fmt::format("{}_{}", start, image));
      }
    }
  }
  names.emplace_back("vit_base_patch16_224_miil");
  for (const char* size : {"small", "base", "large"}) {
    names.push_back(std::string(kFlexi) + size);
  }
  return names;
}

std::optional<ModelSpec> find_vit(const std::string& name) {
  if (name.starts_with(kFlexi)) {
    return find_flexi(name);
  }
  std::vector<std::string> words = split(name, '_');
  if (words.size() > 1 && words.back() == "miil") { // behind the image's size
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
  if (!sized && words.back() == "dinov2") {
    parts.image = kDinoImage;
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

std::vector<std::string> deit_names() {
  return {
      "deit_tiny_patch16_224",
      "deit_small_patch16_224",
      "deit_base_patch16_224",
      "deit_base_patch16_384",
      "deit_tiny_distilled_patch16_224",
      "deit_small_distilled_patch16_224",
      "deit_base_distilled_patch16_224",
      "deit_base_distilled_patch16_384",
      "deit3_small_patch16_224",
      "deit3_small_patch16_384",
      "deit3_medium_patch16_224",
      "deit3_base_patch16_224",
      "deit3_base_patch16_384",
      "deit3_large_patch16_224",
      "deit3_large_patch16_384",
      "deit3_huge_patch14_224"};
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
  if (size == nullptr) {
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

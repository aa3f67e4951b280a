#include "models/families/vit_names.h"

#include <array>

#include <fmt/format.h>

// Names that `vitrain models` lists, a subset of those that find_vit() and
// find_deit() accept.
namespace vitrain::models::vit {
namespace {

// Plain networks are listed in every combination of size, patch and image.
constexpr std::array<const char*, 5> kPlainSizes{
    "tiny",
    "small",
    "base",
    "large",
    "huge"};
constexpr std::array<std::int64_t, 4> kPlainPatches{8, 14, 16, 32};
constexpr std::array<std::int64_t, 2> kPlainImages{224, 384};

// Listed networks with all their image sizes. Image size 0: the name has none.
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
    {"small", 16, "18x2", {224}},
    {"base", 16, "18x2", {224}},
    {"base", 16, "rpn", {224}},
    {"base", 16, "xp", {224}},
    {"large", 14, "xp", {224}},
    {"huge", 14, "xp", {224}},
    {"intern300m", 14, "", {448}},
    {"base", 32, "plus", {256}},
    {"base", 16, "plus", {240}},
    {"medium", 16, "gap", {240, 256, 384}},
    {"betwixt", 16, "gap", {256}},
    {"base", 16, "gap", {224}},
    {"huge", 14, "gap", {224}},
    {"huge", 16, "gap", {448}},
    {"giant", 16, "gap", {224}},
    {"wee", 16, "reg1_gap", {256}},
    {"dwee", 16, "reg1_gap", {256}},
    {"pwee", 16, "reg1_gap", {256}},
    {"dpwee", 16, "reg1_gap", {256}},
    {"little", 16, "reg1_gap", {256}},
    {"dlittle", 16, "reg1_gap", {256}},
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
    {"base", 14, "reg1_tipsv2", {0}},
    {"large", 14, "reg1_tipsv2", {0}},
    {"so400m", 14, "reg1_tipsv2", {0}},
    {"giant", 14, "reg1_tipsv2", {0}},
    {"base", 32, "siglip", {256}},
    {"base", 16, "siglip", {224, 256, 384, 512}},
    {"large", 16, "siglip", {256, 384, 512}},
    {"so400m", 14, "siglip", {224, 378, 384}},
    {"so400m", 16, "siglip", {256, 384, 512}},
    {"giantopt", 16, "siglip", {256, 384}},
    {"base", 32, "siglip_gap", {256}},
    {"base", 16, "siglip_gap", {224, 256, 384, 512}},
    {"large", 16, "siglip_gap", {256, 384, 512}},
    {"so400m", 14, "siglip_gap", {224, 378, 384, 448, 896}},
    {"so400m", 16, "siglip_gap", {256, 384, 512}},
    {"giantopt", 16, "siglip_gap", {256, 384}},
});

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
  names.emplace_back("vit_tiny_patch4_32"); // for CIFAR's images
  names.emplace_back("vit_base_patch16_224_miil");
  for (const char* size : {"small", "base", "large"}) {
    names.push_back(std::string(kFlexi) + size);
  }
  return names;
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

} // namespace vitrain::models::vit

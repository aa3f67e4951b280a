#include <array>

#include "weights/names/convention.h"
#include "weights/names/shared_rules.h"

namespace vitrain::weights {
namespace {

// timm has a stage's downsampling at its start, the authors of Swin and Swin V2
// at the end of the one before. (PaddleClas follows them.)
constexpr std::string_view kOriginalSwin[] = {
    "patch_embed.proj.weight",
    "layers.0.downsample.reduction.weight"};
constexpr NameRule kOriginalSwinRules[] = {
    {"layers.#.downsample.norm.*", "layers.+.downsample.norm.*"},
    {"layers.#.downsample.reduction.*", "layers.+.downsample.reduction.*"},
    {"head.*", "head.fc.*"},
};

constexpr std::string_view kOriginalConvnext[] = {
    "downsample_layers.0.0.weight",
    "stages.#.#.dwconv.weight"};
constexpr NameRule kOriginalConvnextRules[] = {
    {"downsample_layers.0.#.*", "stem.#.*"},
    {"downsample_layers.#.#.*", "stages.#.downsample.#.*"},
    {"stages.#.#.dwconv.*", "stages.#.blocks.#.conv_dw.*"},
    {"stages.#.#.norm.*", "stages.#.blocks.#.norm.*"},
    {"stages.#.#.pwconv1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"stages.#.#.grn.gamma", "stages.#.blocks.#.mlp.grn.weight", Layout::kFlat},
    {"stages.#.#.grn.beta", "stages.#.blocks.#.mlp.grn.bias", Layout::kFlat},
    {"stages.#.#.pwconv2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"stages.#.#.gamma", "stages.#.blocks.#.gamma"},
    {"norm.*", "head.norm.*"},
    {"head.*", "head.fc.*"},
};

constexpr std::string_view kOriginalPvtV2[] = {
    "patch_embed1.proj.weight",
    "block1.#.mlp.dwconv.dwconv.weight"};

constexpr auto kOriginal = std::to_array<Convention>({
    {"original", "Swin", {}, kOriginalSwin, kOriginalSwinRules},
    {"original", "ConvNeXt", {}, kOriginalConvnext, kOriginalConvnextRules},
    {"original", "PVT v2", {}, kOriginalPvtV2, kPvtV2Rules},
    {"original", "PoolFormer", {}, kPoolFormerNames, kPoolFormerRules},
    {"original", "PiT", {}, kPitNames, kPitRules},
    {"original", "CrossViT", {}, kCrossVitNames, kCrossVitRules},
    {"original", "ConvMixer", {}, kConvMixerNames, kConvMixerRules},
    {"original", "XCiT", {}, kXcitNames, kXcitRules},
});

} // namespace

std::span<const Convention> original_conventions() {
  return kOriginal;
}

} // namespace vitrain::weights

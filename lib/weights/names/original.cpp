#include <array>

#include "weights/names/convention.h"
#include "weights/names/dino_positions.h"
#include "weights/names/mobilevit_rules.h"
#include "weights/names/shared_rules.h"

namespace vitrain::weights {
namespace {

// In timm, downsampling is at the beginning of a stage; in the authors' Swin
// and Swin V2 (and in PaddleClas), at the end of the previous one.
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

// DeiT III has the LayerScale vectors directly in the block, as timm has for
// BEiT and CaiT.
constexpr std::string_view kOriginalDeit3[] = {
    "pos_embed",
    "patch_embed.proj.weight",
    "blocks.#.gamma_1"};
constexpr std::string_view kNotDeit3[] = {
    "blocks.#.attn.q_bias",
    "blocks.#.attn.proj_l.weight",
    "blocks_token_only.#.gamma_1"};
constexpr NameRule kOriginalDeit3Rules[] = {
    {"blocks.#.gamma_1", "blocks.#.ls1.gamma"},
    {"blocks.#.gamma_2", "blocks.#.ls2.gamma"},
};

constexpr std::string_view kOriginalDino[] = {
    "mask_token",
    "pos_embed",
    "patch_embed.proj.weight",
    "blocks.#.ls1.gamma"};
// A tensor of masked autoencoders, which have a mask_token, too, and need it.
constexpr std::string_view kNotDino[] = {"decoder_pred.weight"};
constexpr NameRule kOriginalDinoRules[] = {
    {"mask_token", ""},
    {"register_tokens", "reg_token"},
    {"blocks.#.mlp.w12.*", "blocks.#.mlp.fc1.*"},
    {"blocks.#.mlp.w3.*", "blocks.#.mlp.fc2.*"},
};

constexpr std::string_view kOriginalMobileOne[] = {
    "stage0.rbr_conv.0.conv.weight",
    "stage#.#.rbr_conv.#.conv.weight"};
constexpr NameRule kOriginalMobileOneRules[] = {
    {"stage0.rbr_conv.#.conv.*", "stem.conv_kxk.#.conv.*"},
    {"stage0.rbr_conv.#.bn.*", "stem.conv_kxk.#.bn.*"},
    {"stage0.rbr_scale.conv.*", "stem.conv_scale.conv.*"},
    {"stage0.rbr_scale.bn.*", "stem.conv_scale.bn.*"},
    {"stage#.#.rbr_conv.#.conv.*", "stages.-.#.conv_kxk.#.conv.*"},
    {"stage#.#.rbr_conv.#.bn.*", "stages.-.#.conv_kxk.#.bn.*"},
    {"stage#.#.rbr_scale.conv.*", "stages.-.#.conv_scale.conv.*"},
    {"stage#.#.rbr_scale.bn.*", "stages.-.#.conv_scale.bn.*"},
    {"stage#.#.rbr_skip.*", "stages.-.#.identity.*"},
    {"stage#.#.se.reduce.*", "stages.-.#.attn.fc1.*"},
    {"stage#.#.se.expand.*", "stages.-.#.attn.fc2.*"},
    {"linear.*", "head.fc.*"},
};

constexpr auto kOriginal = std::to_array<Convention>({
    {"original", "Swin", {}, kOriginalSwin, kOriginalSwinRules},
    {"original", "ConvNeXt", {}, kOriginalConvnext, kOriginalConvnextRules},
    {"original", "PVT v2", {}, kOriginalPvtV2, kPvtV2Rules},
    {"original",
     "PoolFormer",
     {},
     kPoolFormerNames,
     kPoolFormerRules,
     note_order_of_pooling},
    {"original", "PiT", {}, kPitNames, kPitRules},
    {"original", "CrossViT", {}, kCrossVitNames, kCrossVitRules},
    {"original", "ConvMixer", {}, kConvMixerNames, kConvMixerRules},
    {"original", "XCiT", {}, kXcitNames, kXcitRules},
    {.program = "original",
     .family = "DeiT III",
     .prefixes = {},
     .signature = kOriginalDeit3,
     .rules = kOriginalDeit3Rules,
     .without = kNotDeit3},
    {.program = "original",
     .family = "DINOv2",
     .prefixes = {},
     .signature = kOriginalDino,
     .rules = kOriginalDinoRules,
     .prepare =
         [](Archive& archive) { add_class_position(archive, DinoNames{}); },
     .without = kNotDino},
    {"original", "MobileOne", {}, kOriginalMobileOne, kOriginalMobileOneRules},
    {"original",
     "MobileViT",
     {},
     kOriginalMobileVit,
     kOriginalMobileVitRules,
     note_colours_of_cvnets},
});

} // namespace

std::span<const Convention> original_conventions() {
  return kOriginal;
}

} // namespace vitrain::weights

#include <array>

#include "weights/names/convention.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kMmPrefixes[] = {"backbone."};

constexpr std::string_view kMmVit[] = {
    "patch_embed.projection.weight",
    "layers.#.attn.qkv.weight"};
constexpr NameRule kMmVitRules[] = {
    {"patch_embed.projection.*", "patch_embed.proj.*"},
    {"layers.#.ln1.*", "blocks.#.norm1.*"},
    {"layers.#.attn.qkv.*", "blocks.#.attn.qkv.*"},
    {"layers.#.attn.proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.ln2.*", "blocks.#.norm2.*"},
    {"layers.#.ffn.layers.0.0.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.ffn.layers.1.*", "blocks.#.mlp.fc2.*"},
    {"ln1.*", "norm.*"},
    {"head.layers.head.*", "head.*"},
    {"head.layers.head_dist.*", "head_dist.*"},
    {"head.fc.*", "head.*"},
};

constexpr std::string_view kMmSwin[] = {
    "patch_embed.projection.weight",
    "stages.#.blocks.#.attn.w_msa.qkv.weight"};
constexpr NameRule kMmSwinRules[] = {
    {"patch_embed.projection.*", "patch_embed.proj.*"},
    {"stages.#.blocks.#.norm1.*", "layers.#.blocks.#.norm1.*"},
    {"stages.#.blocks.#.attn.w_msa.*", "layers.#.blocks.#.attn.*"},
    {"stages.#.blocks.#.attn.w_msa.qkv.*", "layers.#.blocks.#.attn.qkv.*"},
    {"stages.#.blocks.#.attn.w_msa.proj.*", "layers.#.blocks.#.attn.proj.*"},
    {"stages.#.blocks.#.norm2.*", "layers.#.blocks.#.norm2.*"},
    {"stages.#.blocks.#.ffn.layers.0.0.*", "layers.#.blocks.#.mlp.fc1.*"},
    {"stages.#.blocks.#.ffn.layers.1.*", "layers.#.blocks.#.mlp.fc2.*"},
    {"stages.#.downsample.norm.*",
     "layers.+.downsample.norm.*",
     Layout::kUnfolded},
    {"stages.#.downsample.reduction.*",
     "layers.+.downsample.reduction.*",
     Layout::kUnfolded},
    {"norm3.*", "norm.*"},
};

constexpr std::string_view kMmConvnext[] = {
    "downsample_layers.0.0.weight",
    "stages.#.#.depthwise_conv.weight"};
constexpr NameRule kMmConvnextRules[] = {
    {"downsample_layers.0.#.*", "stem.#.*"},
    {"downsample_layers.#.#.*", "stages.#.downsample.#.*"},
    {"stages.#.#.depthwise_conv.*", "stages.#.blocks.#.conv_dw.*"},
    {"stages.#.#.norm.*", "stages.#.blocks.#.norm.*"},
    {"stages.#.#.pointwise_conv1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"stages.#.#.grn.gamma", "stages.#.blocks.#.mlp.grn.weight", Layout::kFlat},
    {"stages.#.#.grn.beta", "stages.#.blocks.#.mlp.grn.bias", Layout::kFlat},
    {"stages.#.#.pointwise_conv2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"stages.#.#.gamma", "stages.#.blocks.#.gamma"},
    {"norm3.*", "head.norm.*"},
};

constexpr std::string_view kMmMixer[] = {
    "patch_embed.projection.weight",
    "layers.#.token_mix.layers.0.0.weight"};
constexpr NameRule kMmMixerRules[] = {
    {"patch_embed.projection.*", "stem.proj.*"},
    {"layers.#.ln1.*", "blocks.#.norm1.*"},
    {"layers.#.token_mix.layers.0.0.*", "blocks.#.mlp_tokens.fc1.*"},
    {"layers.#.token_mix.layers.1.*", "blocks.#.mlp_tokens.fc2.*"},
    {"layers.#.ln2.*", "blocks.#.norm2.*"},
    {"layers.#.channel_mix.layers.0.0.*", "blocks.#.mlp_channels.fc1.*"},
    {"layers.#.channel_mix.layers.1.*", "blocks.#.mlp_channels.fc2.*"},
    {"ln1.*", "norm.*"},
    {"head.fc.*", "head.*"},
};

constexpr std::string_view kMmResnet[] = {
    "conv1.weight",
    "layer1.0.conv1.weight",
    "head.fc.weight"};
constexpr NameRule kMmResnetRules[] = {
    {"head.fc.*", "fc.*"},
};

constexpr std::string_view kMmMobileOne[] = {
    "stage0.branch_conv_list.0.conv.weight",
    "stage#.#.branch_conv_list.#.conv.weight"};
constexpr NameRule kMmMobileOneRules[] = {
    {"stage0.branch_conv_list.#.conv.*", "stem.conv_kxk.#.conv.*"},
    {"stage0.branch_conv_list.#.norm.*", "stem.conv_kxk.#.bn.*"},
    {"stage0.branch_scale.conv.*", "stem.conv_scale.conv.*"},
    {"stage0.branch_scale.norm.*", "stem.conv_scale.bn.*"},
    {"stage#.#.branch_conv_list.#.conv.*", "stages.-.#.conv_kxk.#.conv.*"},
    {"stage#.#.branch_conv_list.#.norm.*", "stages.-.#.conv_kxk.#.bn.*"},
    {"stage#.#.branch_scale.conv.*", "stages.-.#.conv_scale.conv.*"},
    {"stage#.#.branch_scale.norm.*", "stages.-.#.conv_scale.bn.*"},
    {"stage#.#.branch_norm.*", "stages.-.#.identity.*"},
    {"stage#.#.se.conv1.conv.*", "stages.-.#.attn.fc1.*"},
    {"stage#.#.se.conv2.conv.*", "stages.-.#.attn.fc2.*"},
};

constexpr auto kMmpretrain = std::to_array<Convention>({
    {"mmpretrain", "ViT", kMmPrefixes, kMmVit, kMmVitRules},
    {"mmpretrain", "Swin", kMmPrefixes, kMmSwin, kMmSwinRules},
    {"mmpretrain", "ConvNeXt", kMmPrefixes, kMmConvnext, kMmConvnextRules},
    {"mmpretrain", "Mixer", kMmPrefixes, kMmMixer, kMmMixerRules},
    {"mmpretrain", "ResNet", kMmPrefixes, kMmResnet, kMmResnetRules},
    {"mmpretrain", "MobileOne", kMmPrefixes, kMmMobileOne, kMmMobileOneRules},
});

} // namespace

std::span<const Convention> mmpretrain_conventions() {
  return kMmpretrain;
}

} // namespace vitrain::weights

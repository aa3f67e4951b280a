#include <array>

#include "weights/names/convention.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kTorchvisionVit[] = {
    "conv_proj.weight",
    "encoder.layers.encoder_layer_#.ln_1.weight"};
constexpr NameRule kTorchvisionVitRules[] = {
    {"class_token", "cls_token"},
    {"conv_proj.*", "patch_embed.proj.*"},
    {"encoder.pos_embedding", "pos_embed"},
    {"encoder.layers.encoder_layer_#.ln_1.*", "blocks.#.norm1.*"},
    {"encoder.layers.encoder_layer_#.ln_2.*", "blocks.#.norm2.*"},
    {"encoder.layers.encoder_layer_#.self_attention.in_proj_weight",
     "blocks.#.attn.qkv.weight"},
    {"encoder.layers.encoder_layer_#.self_attention.in_proj_bias",
     "blocks.#.attn.qkv.bias"},
    {"encoder.layers.encoder_layer_#.self_attention.out_proj.*",
     "blocks.#.attn.proj.*"},
    {"encoder.layers.encoder_layer_#.mlp.0.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.encoder_layer_#.mlp.3.*", "blocks.#.mlp.fc2.*"},
    {"encoder.layers.encoder_layer_#.mlp.linear_1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.encoder_layer_#.mlp.linear_2.*", "blocks.#.mlp.fc2.*"},
    {"encoder.ln.*", "norm.*"},
    {"heads.head.*", "head.*"},
};

constexpr std::string_view kTorchvisionSwin[] = {
    "features.0.0.weight",
    "features.1.0.attn.qkv.weight"};
constexpr NameRule kTorchvisionSwinRules[] = {
    {"features.0.0.*", "patch_embed.proj.*"},
    {"features.0.2.*", "patch_embed.norm.*"},
    {"features.#.#.norm1.*", "layers.%.blocks.#.norm1.*"},
    {"features.#.#.attn.*", "layers.%.blocks.#.attn.*"},
    {"features.#.#.attn.qkv.*", "layers.%.blocks.#.attn.qkv.*"},
    {"features.#.#.attn.proj.*", "layers.%.blocks.#.attn.proj.*"},
    {"features.#.#.norm2.*", "layers.%.blocks.#.norm2.*"},
    {"features.#.#.mlp.0.*", "layers.%.blocks.#.mlp.fc1.*"},
    {"features.#.#.mlp.3.*", "layers.%.blocks.#.mlp.fc2.*"},
    {"features.#.norm.*", "layers.%.downsample.norm.*"},
    {"features.#.reduction.*", "layers.%.downsample.reduction.*"},
    {"head.*", "head.fc.*"},
};

constexpr std::string_view kTorchvisionConvnext[] = {
    "features.0.0.weight",
    "features.1.0.layer_scale"};
constexpr NameRule kTorchvisionConvnextRules[] = {
    {"features.0.0.*", "stem.0.*"},
    {"features.0.1.*", "stem.1.*"},
    {"features.#.#.layer_scale", "stages.%.blocks.#.gamma", Layout::kFlat},
    {"features.#.#.block.0.*", "stages.%.blocks.#.conv_dw.*"},
    {"features.#.#.block.2.*", "stages.%.blocks.#.norm.*"},
    {"features.#.#.block.3.*", "stages.%.blocks.#.mlp.fc1.*"},
    {"features.#.#.block.5.*", "stages.%.blocks.#.mlp.fc2.*"},
    {"features.#.#.*", "stages.%.downsample.#.*"},
    {"classifier.0.*", "head.norm.*"},
    {"classifier.2.*", "head.fc.*"},
};

// torchvision's ResNets have timm's names: those are its own.
constexpr auto kTorchvision = std::to_array<Convention>({
    {"torchvision", "ViT", {}, kTorchvisionVit, kTorchvisionVitRules},
    {"torchvision", "Swin", {}, kTorchvisionSwin, kTorchvisionSwinRules},
    {"torchvision",
     "ConvNeXt",
     {},
     kTorchvisionConvnext,
     kTorchvisionConvnextRules},
});

} // namespace

std::span<const Convention> torchvision_conventions() {
  return kTorchvision;
}

} // namespace vitrain::weights

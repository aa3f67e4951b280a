#include <array>

#include "weights/names/convention.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kTransformersVitPrefixes[] = {"vit.", "deit."};
constexpr std::string_view kTransformersVit[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layer.#.attention.attention.query.weight"};
constexpr NameRule kTransformersVitRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.distillation_token", "dist_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"encoder.layer.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"encoder.layer.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"encoder.layer.#.attention.attention.query.*",
     "blocks.#.attn.qkv.*",
     Layout::kSame,
     1},
    {"encoder.layer.#.attention.attention.key.*",
     "blocks.#.attn.qkv.*",
     Layout::kSame,
     2},
    {"encoder.layer.#.attention.attention.value.*",
     "blocks.#.attn.qkv.*",
     Layout::kSame,
     3},
    {"encoder.layer.#.attention.output.dense.*", "blocks.#.attn.proj.*"},
    {"encoder.layer.#.intermediate.dense.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layer.#.output.dense.*", "blocks.#.mlp.fc2.*"},
    {"layernorm.*", "norm.*"},
    {"pooler.dense.*", ""},
    {"classifier.*", "head.*"},
    {"cls_classifier.*", "head.*"},
    {"distillation_classifier.*", "head_dist.*"},
};

constexpr std::string_view kTransformersSwinPrefixes[] = {"swin."};
constexpr std::string_view kTransformersSwin[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layers.#.blocks.#.attention.self.query.weight"};
constexpr NameRule kTransformersSwinRules[] = {
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"embeddings.norm.*", "patch_embed.norm.*"},
    {"encoder.layers.#.blocks.#.layernorm_before.*",
     "layers.#.blocks.#.norm1.*"},
    {"encoder.layers.#.blocks.#.layernorm_after.*",
     "layers.#.blocks.#.norm2.*"},
    {"encoder.layers.#.blocks.#.attention.self.query.*",
     "layers.#.blocks.#.attn.qkv.*",
     Layout::kSame,
     1},
    {"encoder.layers.#.blocks.#.attention.self.key.*",
     "layers.#.blocks.#.attn.qkv.*",
     Layout::kSame,
     2},
    {"encoder.layers.#.blocks.#.attention.self.value.*",
     "layers.#.blocks.#.attn.qkv.*",
     Layout::kSame,
     3},
    {"encoder.layers.#.blocks.#.attention.self.*", "layers.#.blocks.#.attn.*"},
    {"encoder.layers.#.blocks.#.attention.output.dense.*",
     "layers.#.blocks.#.attn.proj.*"},
    {"encoder.layers.#.blocks.#.intermediate.dense.*",
     "layers.#.blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.blocks.#.output.dense.*", "layers.#.blocks.#.mlp.fc2.*"},
    {"encoder.layers.#.downsample.norm.*", "layers.+.downsample.norm.*"},
    {"encoder.layers.#.downsample.reduction.*",
     "layers.+.downsample.reduction.*"},
    {"layernorm.*", "norm.*"},
    {"classifier.*", "head.fc.*"},
};

constexpr std::string_view kTransformersConvnextPrefixes[] = {
    "convnext.",
    "convnextv2."};
constexpr std::string_view kTransformersConvnext[] = {
    "embeddings.patch_embeddings.weight",
    "encoder.stages.#.layers.#.dwconv.weight"};
constexpr NameRule kTransformersConvnextRules[] = {
    {"embeddings.patch_embeddings.*", "stem.0.*"},
    {"embeddings.layernorm.*", "stem.1.*"},
    {"encoder.stages.#.downsampling_layer.#.*", "stages.#.downsample.#.*"},
    {"encoder.stages.#.layers.#.layer_scale_parameter",
     "stages.#.blocks.#.gamma"},
    {"encoder.stages.#.layers.#.dwconv.*", "stages.#.blocks.#.conv_dw.*"},
    {"encoder.stages.#.layers.#.layernorm.*", "stages.#.blocks.#.norm.*"},
    {"encoder.stages.#.layers.#.pwconv1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"encoder.stages.#.layers.#.grn.*",
     "stages.#.blocks.#.mlp.grn.*",
     Layout::kFlat},
    {"encoder.stages.#.layers.#.pwconv2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"layernorm.*", "head.norm.*"},
    {"classifier.*", "head.fc.*"},
};

constexpr std::string_view kTransformersResnetPrefixes[] = {"resnet."};
constexpr std::string_view kTransformersResnet[] = {
    "embedder.embedder.convolution.weight"};
constexpr NameRule kTransformersResnetRules[] = {
    {"embedder.embedder.convolution.*", "conv1.*"},
    {"embedder.embedder.normalization.*", "bn1.*"},
    {"encoder.stages.#.layers.#.layer.#.convolution.*", "layer+.#.conv+.*"},
    {"encoder.stages.#.layers.#.layer.#.normalization.*", "layer+.#.bn+.*"},
    {"encoder.stages.#.layers.#.shortcut.convolution.*",
     "layer+.#.downsample.0.*"},
    {"encoder.stages.#.layers.#.shortcut.normalization.*",
     "layer+.#.downsample.1.*"},
    {"classifier.1.*", "fc.*"},
};

constexpr auto kTransformers = std::to_array<Convention>({
    {"transformers",
     "ViT",
     kTransformersVitPrefixes,
     kTransformersVit,
     kTransformersVitRules},
    {"transformers",
     "Swin",
     kTransformersSwinPrefixes,
     kTransformersSwin,
     kTransformersSwinRules},
    {"transformers",
     "ConvNeXt",
     kTransformersConvnextPrefixes,
     kTransformersConvnext,
     kTransformersConvnextRules},
    {"transformers",
     "ResNet",
     kTransformersResnetPrefixes,
     kTransformersResnet,
     kTransformersResnetRules},
});

} // namespace

std::span<const Convention> transformers_conventions() {
  return kTransformers;
}

} // namespace vitrain::weights

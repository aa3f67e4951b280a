#include <array>

#include "weights/names/convention.h"
#include "weights/names/shared_rules.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kPaddleVit[] = {
    "patch_embedding.patch_embedding.weight",
    "encoder.layers.#.attn.qkv.weight"};
constexpr NameRule kPaddleVitRules[] = {
    {"patch_embedding.patch_embedding.*", "patch_embed.proj.*"},
    {"position_embedding", "pos_embed"},
    {"distill_token", "dist_token"},
    {"encoder.layers.#.attn_norm.*", "blocks.#.norm1.*"},
    {"encoder.layers.#.attn.qkv.*", "blocks.#.attn.qkv.*"},
    {"encoder.layers.#.attn.out.*", "blocks.#.attn.proj.*"},
    {"encoder.layers.#.attn.proj.*", "blocks.#.attn.proj.*"},
    {"encoder.layers.#.mlp_norm.*", "blocks.#.norm2.*"},
    {"encoder.layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"encoder.encoder_norm.*", "norm.*"},
    {"encoder.norm.*", "norm.*"},
    {"classifier.*", "head.*"},
    {"classifier_dist.*", "head_dist.*"},
};

constexpr std::string_view kPaddleSwin[] = {
    "patch_embedding.patch_embed.weight",
    "stages.#.blocks.#.attn.qkv.weight"};
constexpr NameRule kPaddleSwinRules[] = {
    {"patch_embedding.patch_embed.*", "patch_embed.proj.*"},
    {"patch_embedding.norm.*", "patch_embed.norm.*"},
    {"stages.#.blocks.#.norm1.*", "layers.#.blocks.#.norm1.*"},
    {"stages.#.blocks.#.attn.*", "layers.#.blocks.#.attn.*"},
    {"stages.#.blocks.#.attn.qkv.*", "layers.#.blocks.#.attn.qkv.*"},
    {"stages.#.blocks.#.attn.proj.*", "layers.#.blocks.#.attn.proj.*"},
    {"stages.#.blocks.#.norm2.*", "layers.#.blocks.#.norm2.*"},
    {"stages.#.blocks.#.mlp.fc1.*", "layers.#.blocks.#.mlp.fc1.*"},
    {"stages.#.blocks.#.mlp.fc2.*", "layers.#.blocks.#.mlp.fc2.*"},
    {"stages.#.downsample.norm.*", "layers.+.downsample.norm.*"},
    {"stages.#.downsample.reduction.*", "layers.+.downsample.reduction.*"},
    {"fc.*", "head.fc.*"},
};

constexpr std::string_view kPaddlePvtV2[] = {
    "patch_embedding1.patch_embed.weight",
    "block1.#.mlp.dwconv.dwconv.weight"};

constexpr std::string_view kPaddleCait[] = {
    "patch_embed.patch_embed.weight",
    "blocks_token_only.#.attn.q.weight"};
constexpr NameRule kPaddleCaitRules[] = {
    {"patch_embed.patch_embed.*", "patch_embed.proj.*"},
};

// Its BEiT has timm's names.
constexpr auto kPaddlevit = std::to_array<Convention>({
    {"paddlevit", "ViT", {}, kPaddleVit, kPaddleVitRules},
    {"paddlevit", "Swin", {}, kPaddleSwin, kPaddleSwinRules},
    {"paddlevit", "PVT v2", {}, kPaddlePvtV2, kPvtV2Rules},
    {"paddlevit", "PoolFormer", {}, kPoolFormerNames, kPoolFormerRules},
    {"paddlevit", "PiT", {}, kPitNames, kPitRules},
    {"paddlevit", "CrossViT", {}, kCrossVitNames, kCrossVitRules},
    {"paddlevit", "ConvMixer", {}, kConvMixerNames, kConvMixerRules},
    {"paddlevit", "CaiT", {}, kPaddleCait, kPaddleCaitRules},
    {"paddlevit", "XCiT", {}, kXcitNames, kXcitRules},
});

} // namespace

std::span<const Convention> paddlevit_conventions() {
  return kPaddlevit;
}

} // namespace vitrain::weights

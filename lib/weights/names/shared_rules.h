#pragma once

#include "weights/names/convention.h"

// Rules of families for which PaddleViT kept all or most of the authors' names.
namespace vitrain::weights {

// Stages are numbered from 1, and the downsampling of a stage precedes it.
inline constexpr NameRule kPvtV2Rules[] = {
    {"patch_embed1.proj.*", "patch_embed.proj.*"},
    {"patch_embed1.norm.*", "patch_embed.norm.*"},
    {"patch_embed#.proj.*", "stages.-.downsample.proj.*"},
    {"patch_embed#.norm.*", "stages.-.downsample.norm.*"},
    // Names of PaddleViT.
    {"patch_embedding1.patch_embed.*", "patch_embed.proj.*"},
    {"patch_embedding1.norm.*", "patch_embed.norm.*"},
    {"patch_embedding#.patch_embed.*", "stages.-.downsample.proj.*"},
    {"patch_embedding#.norm.*", "stages.-.downsample.norm.*"},
    {"block#.#.norm1.*", "stages.-.blocks.#.norm1.*"},
    {"block#.#.attn.q.*", "stages.-.blocks.#.attn.q.*"},
    {"block#.#.attn.kv.*", "stages.-.blocks.#.attn.kv.*"},
    {"block#.#.attn.proj.*", "stages.-.blocks.#.attn.proj.*"},
    {"block#.#.attn.sr.*", "stages.-.blocks.#.attn.sr.*"},
    {"block#.#.attn.norm.*", "stages.-.blocks.#.attn.norm.*"},
    {"block#.#.norm2.*", "stages.-.blocks.#.norm2.*"},
    {"block#.#.mlp.fc1.*", "stages.-.blocks.#.mlp.fc1.*"},
    {"block#.#.mlp.dwconv.dwconv.*", "stages.-.blocks.#.mlp.dwconv.*"},
    {"block#.#.mlp.fc2.*", "stages.-.blocks.#.mlp.fc2.*"},
    {"norm#.*", "stages.-.norm.*"},
};

inline constexpr std::string_view kPoolFormerNames[] = {
    "network.1.proj.weight",
    "network.#.#.layer_scale_1"};
// One list contains stages and downsampling layers alternately.
inline constexpr NameRule kPoolFormerRules[] = {
    {"patch_embed.proj.*", "stem.conv.*"},
    {"network.1.proj.*", "stages.1.downsample.conv.*"},
    {"network.3.proj.*", "stages.2.downsample.conv.*"},
    {"network.5.proj.*", "stages.3.downsample.conv.*"},
    {"network.#.#.norm1.*", "stages.%.blocks.#.norm1.*"},
    {"network.#.#.layer_scale_1", "stages.%.blocks.#.layer_scale1.scale"},
    {"network.#.#.norm2.*", "stages.%.blocks.#.norm2.*"},
    {"network.#.#.mlp.fc1.*", "stages.%.blocks.#.mlp.fc1.*"},
    {"network.#.#.mlp.fc2.*", "stages.%.blocks.#.mlp.fc2.*"},
    {"network.#.#.layer_scale_2", "stages.%.blocks.#.layer_scale2.scale"},
    {"norm.*", "head.norm.*"},
    {"head.*", "head.fc.*"},
};

// Adds a note for files of the authors, transformers and PaddleViT, whose
// networks pool after the last norm; timm's pool before it.
inline void note_order_of_pooling(Archive& archive) {
  archive.notes.emplace_back(
      "this PoolFormer normalises its last features and pools them then; "
      "timm's and ours (poolformer_*) pool first");
}

inline constexpr std::string_view kPitNames[] = {
    "pools.0.conv.weight",
    "transformers.#.blocks.#.attn.qkv.weight"};
inline constexpr NameRule kPitRules[] = {
    {"pools.#.conv.*", "transformers.+.pool.conv.*"},
    {"pools.#.fc.*", "transformers.+.pool.fc.*"},
};

inline constexpr std::string_view kCrossVitNames[] = {
    "pos_embed.0",
    "blocks.#.fusion.#.attn.wq.weight"};
inline constexpr NameRule kCrossVitRules[] = {
    {"pos_embed.#", "pos_embed_#"},
    {"cls_token.#", "cls_token_#"},
    // Name in PaddleViT.
    {"blocks.#.blocks.#.#.attn.out.*", "blocks.#.blocks.#.#.attn.proj.*"},
};

inline constexpr std::string_view kConvMixerNames[] = {
    "0.weight",
    "3.0.fn.0.weight"};
// One list contains three stem layers, the blocks, two layers without weights,
// and the classifier.
inline constexpr NameRule kConvMixerRules[] = {
    {"0.*", "stem.0.*"},
    {"2.*", "stem.2.*"},
    {"#.0.fn.#.*", "blocks.~.0.fn.#.*"},
    {"#.#.*", "blocks.~.#.*"},
    {"#.*", "head.*"},
};

inline constexpr std::string_view kXcitNames[] = {
    "pos_embeder.token_projection.weight",
    "cls_attn_blocks.#.attn.qkv.weight"};
inline constexpr NameRule kXcitRules[] = {
    {"pos_embeder.token_projection.*", "pos_embed.token_projection.*"},
    {"cls_attn_blocks.#.attn.qkv.*",
     "cls_attn_blocks.#.attn.q.*",
     Layout::kSame,
     1},
    {"cls_attn_blocks.#.attn.qkv.*",
     "cls_attn_blocks.#.attn.k.*",
     Layout::kSame,
     2},
    {"cls_attn_blocks.#.attn.qkv.*",
     "cls_attn_blocks.#.attn.v.*",
     Layout::kSame,
     3},
};

} // namespace vitrain::weights

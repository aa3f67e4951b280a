#pragma once

#include "weights/names/convention.h"

// Models whose modules transformers calls otherwise since its version 5:
// torch.save(model.state_dict()) has these names, save_pretrained() still those
// of before (transformers.cpp).
namespace vitrain::weights {

// ViT, DeiT, and masked autoencoders.
inline constexpr std::string_view kTransformersVitModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "layers.#.attention.q_proj.weight"};
inline constexpr NameRule kTransformersVitModuleRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.distillation_token", "dist_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"layers.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"layers.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"layers.#.attention.@_proj.*", "blocks.#.attn.qkv.*"},
    {"layers.#.attention.o_proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"layernorm.*", "norm.*"},
    {"pooler.dense.*", ""},
    {"decoder.mask_token", "mask_token"},
    {"decoder.decoder_pos_embed", "decoder_pos_embed"},
    {"decoder.decoder_embed.*", "decoder_embed.*"},
    {"decoder.decoder_norm.*", "decoder_norm.*"},
    {"decoder.decoder_pred.*", "decoder_pred.*"},
    {"decoder.decoder_layers.#.layernorm_before.*", "decoder_blocks.#.norm1.*"},
    {"decoder.decoder_layers.#.layernorm_after.*", "decoder_blocks.#.norm2.*"},
    {"decoder.decoder_layers.#.attention.@_proj.*",
     "decoder_blocks.#.attn.qkv.*"},
    {"decoder.decoder_layers.#.attention.o_proj.*",
     "decoder_blocks.#.attn.proj.*"},
    {"decoder.decoder_layers.#.mlp.fc1.*", "decoder_blocks.#.mlp.fc1.*"},
    {"decoder.decoder_layers.#.mlp.fc2.*", "decoder_blocks.#.mlp.fc2.*"},
    {"classifier.*", "head.*"},
    {"cls_classifier.*", "head.*"},
    {"distillation_classifier.*", "head_dist.*"},
};

inline constexpr std::string_view kTransformersBeitModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "layers.#.lambda_1"};
inline constexpr NameRule kTransformersBeitModuleRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"layers.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"layers.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"layers.#.attention.@_proj.weight", "blocks.#.attn.qkv.weight"},
    {"layers.#.attention.q_proj.bias", "blocks.#.attn.q_bias"},
    {"layers.#.attention.v_proj.bias", "blocks.#.attn.v_bias"},
    {"layers.#.relative_position_bias.*", "blocks.#.attn.*"},
    {"layers.#.attention.o_proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"layers.#.lambda_1", "blocks.#.gamma_1"},
    {"layers.#.lambda_2", "blocks.#.gamma_2"},
    {"pooler.layernorm.*", "fc_norm.*"},
    {"classifier.*", "head.*"},
};

inline constexpr std::string_view kTransformersSwinModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layers.#.blocks.#.attention.q_proj.weight"};
inline constexpr NameRule kTransformersSwinModuleRules[] = {
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"embeddings.norm.*", "patch_embed.norm.*"},
    {"encoder.layers.#.blocks.#.layernorm_before.*",
     "layers.#.blocks.#.norm1.*"},
    {"encoder.layers.#.blocks.#.layernorm_after.*",
     "layers.#.blocks.#.norm2.*"},
    {"encoder.layers.#.blocks.#.attention.@_proj.*",
     "layers.#.blocks.#.attn.qkv.*"},
    {"encoder.layers.#.blocks.#.attention.relative_position_bias.*",
     "layers.#.blocks.#.attn.*"},
    {"encoder.layers.#.blocks.#.attention.o_proj.*",
     "layers.#.blocks.#.attn.proj.*"},
    {"encoder.layers.#.blocks.#.mlp.fc1.*", "layers.#.blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.blocks.#.mlp.fc2.*", "layers.#.blocks.#.mlp.fc2.*"},
    {"encoder.layers.#.downsample.norm.*", "layers.+.downsample.norm.*"},
    {"encoder.layers.#.downsample.reduction.*",
     "layers.+.downsample.reduction.*"},
    {"layernorm.*", "norm.*"},
    {"classifier.*", "head.fc.*"},
};

} // namespace vitrain::weights

#pragma once

#include "weights/names/convention.h"

// Vision transformers of transformers whose names differ from its ViT's.
namespace vitrain::weights {

// DINOv2, with registers and without.
inline constexpr std::string_view kTransformersDinoPrefixes[] = {
    "dinov2.",
    "dinov2_with_registers."};
inline constexpr std::string_view kTransformersDino[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layer.#.layer_scale1.lambda1"};
inline constexpr NameRule kTransformersDinoRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.register_tokens", "reg_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"encoder.layer.#.norm1.*", "blocks.#.norm1.*"},
    {"encoder.layer.#.norm2.*", "blocks.#.norm2.*"},
    {"encoder.layer.#.attention.attention.@.*", "blocks.#.attn.qkv.*"},
    {"encoder.layer.#.attention.output.dense.*", "blocks.#.attn.proj.*"},
    // Names of version 5's modules.
    {"encoder.layer.#.attention.@_proj.*", "blocks.#.attn.qkv.*"},
    {"encoder.layer.#.attention.o_proj.*", "blocks.#.attn.proj.*"},
    {"encoder.layer.#.layer_scale1.lambda1", "blocks.#.ls1.gamma"},
    {"encoder.layer.#.layer_scale2.lambda1", "blocks.#.ls2.gamma"},
    {"encoder.layer.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layer.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    // Names of the giant network.
    {"encoder.layer.#.mlp.weights_in.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layer.#.mlp.weights_out.*", "blocks.#.mlp.fc2.*"},
    {"layernorm.*", "norm.*"},
    {"classifier.*", "head.*"},
};

// Calls add_class_position() (dino_positions.h), and adds a note if the file's
// classifier cannot be loaded because it also reads the mean of the patches.
// Throws as add_class_position().
void prepare_transformers_dino(Archive& archive);

// Image tower of a SigLIP.
inline constexpr std::string_view kTransformersSiglipPrefixes[] = {
    "vision_model."};
inline constexpr std::string_view kTransformersSiglip[] = {
    "embeddings.patch_embedding.weight",
    "embeddings.position_embedding.weight",
    "encoder.layers.#.self_attn.q_proj.weight"};
// CLIP's image tower has a class token.
inline constexpr std::string_view kNotSiglip[] = {"embeddings.class_embedding"};
inline constexpr NameRule kTransformersSiglipRules[] = {
    {"embeddings.patch_embedding.*", "patch_embed.proj.*"},
    {"embeddings.position_embedding.weight", "pos_embed", Layout::kOneOfBatch},
    {"encoder.layers.#.layer_norm1.*", "blocks.#.norm1.*"},
    {"encoder.layers.#.layer_norm2.*", "blocks.#.norm2.*"},
    {"encoder.layers.#.self_attn.@_proj.*", "blocks.#.attn.qkv.*"},
    {"encoder.layers.#.self_attn.out_proj.*", "blocks.#.attn.proj.*"},
    {"encoder.layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"post_layernorm.*", "norm.*"},
    {"head.probe", "attn_pool.latent"},
    {"head.attention.in_proj_weight",
     "attn_pool.q.weight",
     Layout::kSame,
     kQuery},
    {"head.attention.in_proj_weight",
     "attn_pool.kv.weight",
     Layout::kSame,
     kKeyAndValue},
    {"head.attention.in_proj_bias", "attn_pool.q.bias", Layout::kSame, kQuery},
    {"head.attention.in_proj_bias",
     "attn_pool.kv.bias",
     Layout::kSame,
     kKeyAndValue},
    {"head.attention.out_proj.*", "attn_pool.proj.*"},
    {"head.layernorm.*", "attn_pool.norm.*"},
    {"head.mlp.fc1.*", "attn_pool.mlp.fc1.*"},
    {"head.mlp.fc2.*", "attn_pool.mlp.fc2.*"},
    {"classifier.*", "head.*"},
};

// Removes the text tower, and the attention pooling of a file with a classifier
// and without text tower (that classifier ignores it). Adds notes about
// differences from timm.
void prepare_transformers_siglip(Archive& archive);

} // namespace vitrain::weights

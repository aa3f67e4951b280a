#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "weights/names/convention.h"

// Swin and Swin V2 of transformers.
namespace vitrain::weights {

inline constexpr std::string_view kTransformersSwinPrefixes[] = {"swin."};
inline constexpr std::string_view kTransformersSwin[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layers.#.blocks.#.attention.self.query.weight"};
// Signature of files with the names of version 5's modules.
inline constexpr std::string_view kTransformersSwinModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layers.#.blocks.#.attention.q_proj.weight"};
inline constexpr NameRule kTransformersSwinRules[] = {
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"embeddings.norm.*", "patch_embed.norm.*"},
    {"encoder.layers.#.blocks.#.layernorm_before.*",
     "layers.#.blocks.#.norm1.*"},
    {"encoder.layers.#.blocks.#.layernorm_after.*",
     "layers.#.blocks.#.norm2.*"},
    {"encoder.layers.#.blocks.#.attention.self.@.*",
     "layers.#.blocks.#.attn.qkv.*"},
    {"encoder.layers.#.blocks.#.attention.self.*", "layers.#.blocks.#.attn.*"},
    {"encoder.layers.#.blocks.#.attention.output.dense.*",
     "layers.#.blocks.#.attn.proj.*"},
    {"encoder.layers.#.blocks.#.intermediate.dense.*",
     "layers.#.blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.blocks.#.output.dense.*", "layers.#.blocks.#.mlp.fc2.*"},
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

inline constexpr std::string_view kTransformersSwinV2Prefixes[] = {"swinv2."};
inline constexpr std::string_view kTransformersSwinV2[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layers.#.blocks.#.attention.self.logit_scale"};
inline constexpr NameRule kTransformersSwinV2Alone[] = {
    {"encoder.layers.#.blocks.#.attention.self.continuous_position_bias_mlp.#."
     "*",
     "layers.#.blocks.#.attn.cpb_mlp.#.*"},
    {"encoder.layers.#.blocks.#.attention.self.query.bias",
     "layers.#.blocks.#.attn.q_bias"},
    {"encoder.layers.#.blocks.#.attention.self.value.bias",
     "layers.#.blocks.#.attn.v_bias"},
};
inline constexpr auto kTransformersSwinV2Rules = [] {
  std::array<
      NameRule,
      std::size(kTransformersSwinV2Alone) + std::size(kTransformersSwinRules)>
      rules{};
  std::ranges::copy(
      kTransformersSwinRules,
      std::ranges::copy(kTransformersSwinV2Alone, rules.begin()).out);
  return rules;
}();

} // namespace vitrain::weights

#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// A network that mixes tokens by linear layers.
struct MixerSpec {
  enum class Block {
    kMixer, // an MLP over the tokens, then one over the channels
    kGated, // kMixer with gated linear units
    kResidual, // ResMLP: one linear layer over the tokens, affine maps as norms
    // gMLP: one MLP over the channels, with gates computed over the tokens.
    kSpatial,
  };
  Block block = Block::kMixer;
  std::int64_t patch_size = 16;
  std::int64_t depth = 8;
  std::int64_t embed_dim = 512;
  // Hidden width / embed_dim of the two MLPs. Block types without an MLP over
  // the tokens ignore tokens_ratio.
  double tokens_ratio = 0.5;
  double channels_ratio = 4.0;
  double layer_scale = 0.0; // kResidual: initial LayerScale gamma
};

namespace mixer {

using enum MixerSpec::Block;

// Networks of timm 1.0 (timm/models/mlp_mixer.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<MixerSpec>>({
    {"mixer_s32_224", 224, 3, {kMixer, 32, 8, 512, 0.5, 4.0}},
    {"mixer_s16_224", 224, 3, {kMixer, 16, 8, 512, 0.5, 4.0}},
    {"mixer_b32_224", 224, 3, {kMixer, 32, 12, 768, 0.5, 4.0}},
    {"mixer_b16_224", 224, 3, {kMixer, 16, 12, 768, 0.5, 4.0}},
    {"mixer_l32_224", 224, 3, {kMixer, 32, 24, 1024, 0.5, 4.0}},
    {"mixer_l16_224", 224, 3, {kMixer, 16, 24, 1024, 0.5, 4.0}},
    {"gmixer_12_224", 224, 3, {kGated, 16, 12, 384, 1.0, 4.0}},
    {"gmixer_24_224", 224, 3, {kGated, 16, 24, 384, 1.0, 4.0}},
    {"resmlp_12_224", 224, 3, {kResidual, 16, 12, 384, 0.0, 4.0, 1e-4}},
    {"resmlp_24_224", 224, 3, {kResidual, 16, 24, 384, 0.0, 4.0, 1e-5}},
    {"resmlp_36_224", 224, 3, {kResidual, 16, 36, 384, 0.0, 4.0, 1e-6}},
    {"resmlp_big_24_224", 224, 3, {kResidual, 8, 24, 768, 0.0, 4.0, 1e-6}},
    {"gmlp_ti16_224", 224, 3, {kSpatial, 16, 30, 128, 0.0, 6.0}},
    {"gmlp_s16_224", 224, 3, {kSpatial, 16, 30, 256, 0.0, 6.0}},
    {"gmlp_b16_224", 224, 3, {kSpatial, 16, 30, 512, 0.0, 6.0}},
});

} // namespace mixer

// MLP-Mixer (Tolstikhin et al., NeurIPS 2021), ResMLP (Touvron et al., TPAMI
// 2022) and gMLP (Liu et al., NeurIPS 2021): linear layers over the tokens,
// whose number is fixed, in place of attention.
inline const Family kMixer{
    .name = "mixer",
    .list = names_in<mixer::kNetworks>,
    .find = find_in<mixer::kNetworks>,
    .options = drop_path_option,
    .check = check_patches<MixerSpec>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<MixerSpec>();
          return fmt::format(
              "width {}, depth {}, {}x{} patches",
              net.embed_dim,
              net.depth,
              net.patch_size,
              net.patch_size);
        },
    .identity = image_identity,
    .layers = layers_in_blocks("stem", kNumberedBlocks, "norm")};

} // namespace vitrain::models

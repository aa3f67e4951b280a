#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_schema.h"

// Networks that mix tokens without attention.
namespace vitrain::config::paddlevit {

inline constexpr auto kMixerKeys = std::to_array<FamilyKey>({
    {"MIXER.PATCH_SIZE", "16", FamilyKey::Role::kIdle},
    {"MIXER.EMBED_DIM", "768"},
    {"MIXER.DEPTH", "12"},
});
inline constexpr auto kMixerNetworks = std::to_array<Network>({
    {"mixer_b16_224", 224, "768 12"},
    {"mixer_l16_224", 224, "1024 24"},
});

inline constexpr auto kResMlpKeys = std::to_array<FamilyKey>({
    {"MIXER.PATCH_SIZE", "16"},
    {"MIXER.EMBED_DIM", "768"},
    {"MIXER.DEPTH", "12"},
    {"MIXER.MLP_RATIO", "4", FamilyKey::Role::kOnly},
});
inline constexpr auto kResMlpNetworks = std::to_array<Network>({
    {"resmlp_12_224", 224, "16 384 12"},
    {"resmlp_24_224", 224, "16 384 24"},
    {"resmlp_36_224", 224, "16 384 36"},
    {"resmlp_big_24_224", 224, "8 768 24"},
});

inline constexpr auto kGmlpKeys = std::to_array<FamilyKey>({
    {"MIXER.PATCH_SIZE", "16", FamilyKey::Role::kIdle},
    {"MIXER.EMBED_DIM", "768"},
    {"MIXER.DEPTH", "12"},
    {"MIXER.MLP_RATIO", "6", FamilyKey::Role::kOnly},
});
inline constexpr auto kGmlpNetworks = std::to_array<Network>({
    {"gmlp_b16_224", 224, "512 30"},
    {"gmlp_s16_224", 224, "256 30"},
});

inline constexpr auto kPoolformerKeys = std::to_array<FamilyKey>({
    {"LAYERS", "[2,2,6,2]"},
    {"EMBED_DIMS", "[64,128,320,512]"},
    {"DOWNSAMPLES", "[true,true,true,true]", FamilyKey::Role::kOnly},
    {"MLP_RATIOS", "[4,4,4,4]", FamilyKey::Role::kOnly},
    {"LAYER_SCALE_INIT_VALUE", "1e-5", FamilyKey::Role::kStart},
});
inline constexpr auto kPoolformerNetworks = std::to_array<Network>({
    {"poolformer_m36", 224, "[6,6,18,6] [96,192,384,768] 1e-6"},
    {"poolformer_m48", 224, "[8,8,24,8] [96,192,384,768] 1e-6"},
    {"poolformer_s12", 224, "[2,2,6,2] [64,128,320,512] 1e-5"},
    {"poolformer_s24", 224, "[4,4,12,4] [64,128,320,512] 1e-5"},
    {"poolformer_s36", 224, "[6,6,18,6] [64,128,320,512] 1e-6"},
});

inline constexpr auto kConvMixerKeys = std::to_array<FamilyKey>({
    {"CNN.DIM", "1536"},
    {"CNN.DEPTH", "20"},
    {"CNN.KERNEL_SIZE", "9"},
    {"CNN.PATCH_SIZE", "7"},
    {"CNN.ACTIVATION", "GELU"},
});
inline constexpr auto kConvMixerNetworks = std::to_array<Network>({
    {"convmixer_1024_20_ks9_p14", 224, "1024 20 9 14 GELU"},
    {"convmixer_1536_20", 224, "1536 20 9 7 GELU"},
    {"convmixer_768_32", 224, "768 32 7 7 ReLU"},
});

inline constexpr auto kMixers = std::to_array<PaddleFamily>({
    {.name = "MLP-Mixer",
     .types = "mixer mlp-mixer",
     .keys = kMixerKeys,
     .networks = kMixerNetworks,
     .defaults = {.weight_decay = 0.1, .base_lr = 0.001, .half = true}},
    {.name = "ResMLP",
     .types = "resmlp",
     .keys = kResMlpKeys,
     .networks = kResMlpNetworks,
     .defaults = {.weight_decay = 0.1, .base_lr = 0.001}},
    {.name = "gMLP",
     .types = "gatedmlp gmlp",
     .keys = kGmlpKeys,
     .networks = kGmlpNetworks,
     .defaults = {.weight_decay = 0.1, .base_lr = 0.001, .half = true}},
    {.name = "PoolFormer",
     .types = "poolformer",
     .keys = kPoolformerKeys,
     .networks = kPoolformerNetworks,
     .defaults = {.warmup = 5, .base_lr = 0.001, .scaled_lr = 1024}},
    {.name = "ConvMixer",
     .types = "convmixer",
     .keys = kConvMixerKeys,
     .networks = kConvMixerNetworks,
     .defaults = {.weight_decay = 0.1, .base_lr = 0.001},
     .drop_path = false},
});

} // namespace vitrain::config::paddlevit

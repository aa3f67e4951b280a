#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_schema.h"

// Transformers with one resolution.
namespace vitrain::config::paddlevit {

inline constexpr auto kCaitKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "16", FamilyKey::Role::kOnly},
    {"EMBED_DIM", "768"},
    {"NUM_HEADS", "12"},
    {"ATTN_HEAD_SIZE", "none", FamilyKey::Role::kIdle},
    {"DEPTH", "12"},
    {"QK_SCALE", "none", FamilyKey::Role::kIdle},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"INIT_VALUES", "1e-4", FamilyKey::Role::kStart},
    {"DEPTH_TOKEN_ONLY", "2", FamilyKey::Role::kOnly},
});
inline constexpr auto kCaitNetworks = std::to_array<Network>({
    {"cait_m36_384", 384, "768 16 36 1e-6"},
    {"cait_m48_448", 448, "768 16 48 1e-6"},
    {"cait_s24_224", 224, "384 8 24 1e-5"},
    {"cait_s24_384", 384, "384 8 24 1e-5"},
    {"cait_s36_384", 384, "384 8 36 1e-6"},
    {"cait_xs24_384", 384, "288 6 24 1e-5"},
    {"cait_xxs24_224", 224, "192 4 24 1e-5"},
    {"cait_xxs24_384", 384, "192 4 24 1e-5"},
    {"cait_xxs36_224", 224, "192 4 36 1e-5"},
    {"cait_xxs36_384", 384, "192 4 36 1e-5"},
});

inline constexpr auto kBeitKeys = std::to_array<FamilyKey>({
    {"VAE_TYPE", "dall-e", FamilyKey::Role::kIdle},
    {"PATCH_SIZE", "16", FamilyKey::Role::kOnly},
    {"EMBED_DIM", "768"},
    {"NUM_HEADS", "12"},
    {"ATTN_HEAD_SIZE", "none", FamilyKey::Role::kIdle},
    {"DEPTH", "12"},
    {"QK_SCALE", "none", FamilyKey::Role::kIdle},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"USE_ABS_POS_EMB", "false", FamilyKey::Role::kOnly},
    {"USE_REL_POS_BIAS", "true", FamilyKey::Role::kOnly},
    {"INIT_VALUES", "1e-4", FamilyKey::Role::kStart},
});
inline constexpr auto kBeitNetworks = std::to_array<Network>({
    {"beit_base_patch16_224", 224, "768 12 12 0.1"},
    {"beit_base_patch16_384", 384, "768 12 12 0.1"},
    {"beit_large_patch16_224", 224, "1024 16 24 1e-5"},
    {"beit_large_patch16_384", 384, "1024 16 24 1e-5"},
    {"beit_large_patch16_512", 512, "1024 16 24 1e-5"},
});

inline constexpr auto kXcitKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "16"},
    {"EMBED_DIM", "128"},
    {"NUM_HEADS", "4"},
    {"ATTN_HEAD_SIZE", "none", FamilyKey::Role::kIdle},
    {"DEPTH", "12"},
    {"QK_SCALE", "none", FamilyKey::Role::kOnly},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"ETA", "1", FamilyKey::Role::kStart},
    {"TOKENS_NORM", "false"},
    {"CLS_ATTN_LAYERS", "2", FamilyKey::Role::kOnly},
    {"USE_POS", "true", FamilyKey::Role::kOnly},
});
inline constexpr auto kXcitNetworks = std::to_array<Network>({
    {"xcit_large_24_p16_224", 224, "16 768 16 24 1e-5 true"},
    {"xcit_large_24_p16_384", 384, "16 768 16 24 1e-5 true"},
    {"xcit_large_24_p8_224", 224, "8 768 16 24 1e-5 true"},
    {"xcit_large_24_p8_384", 384, "8 768 16 24 1e-5 true"},
    {"xcit_medium_24_p16_224", 224, "16 512 8 24 1e-5 true"},
    {"xcit_medium_24_p16_384", 384, "16 512 8 24 1e-5 true"},
    {"xcit_medium_24_p8_224", 224, "8 512 8 24 1e-5 true"},
    {"xcit_medium_24_p8_384", 384, "8 512 8 24 1e-5 true"},
    {"xcit_nano_12_p16_224", 224, "16 128 4 12 1 false"},
    {"xcit_nano_12_p16_384", 384, "16 128 4 12 1 false"},
    {"xcit_nano_12_p8_224", 224, "8 128 4 12 1 false"},
    {"xcit_nano_12_p8_384", 384, "8 128 4 12 1 false"},
    {"xcit_small_12_p16_224", 224, "16 384 8 12 1 true"},
    {"xcit_small_12_p16_384", 384, "16 384 8 12 1 true"},
    {"xcit_small_12_p8_224", 224, "8 384 8 12 1 true"},
    {"xcit_small_12_p8_384", 384, "8 384 8 12 1 true"},
    {"xcit_small_24_p16_224", 224, "16 384 8 24 1e-5 true"},
    {"xcit_small_24_p16_384", 384, "16 384 8 24 1e-5 true"},
    {"xcit_small_24_p8_224", 224, "8 384 8 24 1e-5 true"},
    {"xcit_small_24_p8_384", 384, "8 384 8 24 1e-5 true"},
    {"xcit_tiny_12_p16_224", 224, "16 192 4 12 1 true"},
    {"xcit_tiny_12_p16_384", 384, "16 192 4 12 1 true"},
    {"xcit_tiny_12_p8_224", 224, "8 192 4 12 1 true"},
    {"xcit_tiny_12_p8_384", 384, "8 192 4 12 1 true"},
    {"xcit_tiny_24_p16_224", 224, "16 192 4 24 1e-5 true"},
    {"xcit_tiny_24_p16_384", 384, "16 192 4 24 1e-5 true"},
    {"xcit_tiny_24_p8_224", 224, "8 192 4 24 1e-5 true"},
    {"xcit_tiny_24_p8_384", 384, "8 192 4 24 1e-5 true"},
});

inline constexpr auto kCrossVitKeys = std::to_array<FamilyKey>({
    {"IMG_SIZE", "[240,224]"},
    {"PATCH_SIZE", "[12,16]", FamilyKey::Role::kOnly},
    {"EMBED_DIM", "[384,768]"},
    {"NUM_HEADS", "[12,12]"},
    {"ATTN_HEAD_SIZE", "none", FamilyKey::Role::kIdle},
    {"DEPTH", "[[1,4,0],[1,4,0],[1,4,0]]"},
    {"QK_SCALE", "none", FamilyKey::Role::kIdle},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "[4,4,1]"},
    {"MULTI_CONV", "false"},
    {"HYBRID_BACKBONE", "none", FamilyKey::Role::kOnly},
});
inline constexpr auto kCrossVitNetworks = std::to_array<Network>({
    {"crossvit_15_240",
     240,
     "[240,224] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] false"},
    {"crossvit_15_dagger_240",
     240,
     "[240,224] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] true"},
    {"crossvit_15_dagger_408",
     408,
     "[408,384] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] true"},
    {"crossvit_18_240",
     240,
     "[240,224] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] false"},
    {"crossvit_18_dagger_240",
     240,
     "[240,224] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] true"},
    {"crossvit_18_dagger_408",
     408,
     "[408,384] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] true"},
    {"crossvit_9_240",
     240,
     "[240,224] [128,256] [4,4] [[1,3,0],[1,3,0],[1,3,0]] [3,3,1] false"},
    {"crossvit_9_dagger_240",
     240,
     "[240,224] [128,256] [4,4] [[1,3,0],[1,3,0],[1,3,0]] [3,3,1] true"},
    {"crossvit_base_240",
     240,
     "[240,224] [384,768] [12,12] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false"},
    {"crossvit_small_240",
     240,
     "[240,224] [192,384] [6,6] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false"},
    {"crossvit_tiny_240",
     240,
     "[240,224] [96,192] [3,3] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false"},
});

inline constexpr auto kTransformers = std::to_array<PaddleFamily>({
    {.name = "CaiT",
     .types = "cait",
     .keys = kCaitKeys,
     .networks = kCaitNetworks,
     .defaults = {.warmup = 5, .end_lr = 0, .ema = true}},
    {.name = "BEiT",
     .types = "beit",
     .keys = kBeitKeys,
     .networks = kBeitNetworks,
     .defaults =
         {.epochs = 100,
          .base_lr = 0.004,
          .warmup_lr = 0,
          .end_lr = 1e-6,
          .ema = true,
          .half = true,
          .also =
              [](Config& config) {
                config.train.optimizer.name = "AdamWDL";
                config.train.layer_decay = 0.65;
              }}},
    {.name = "XCiT",
     .types = "xcit",
     .keys = kXcitKeys,
     .networks = kXcitNetworks,
     .defaults = {.warmup = 5}},
    {.name = "CrossViT",
     .types = "crossvit",
     .keys = kCrossVitKeys,
     .networks = kCrossVitNetworks,
     .defaults = {.warmup = 5},
     .fixed_size = true,
     .note = "images are prepared in the size of the first branch; PaddleViT "
             "prepares them in DATA.IMAGE_SIZE and enlarges them for it"},
});

} // namespace vitrain::config::paddlevit

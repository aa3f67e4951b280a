#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_schema.h"

// Convolutional networks, some of them with attention.
namespace vitrain::config::paddlevit {

inline constexpr auto kConvNextKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "4", FamilyKey::Role::kOnly},
    {"OUTPUT_STRIDE", "32", FamilyKey::Role::kOnly},
    {"DEPTHS", "[3,3,9,3]"},
    {"DIMS", "[96,192,384,768]"},
    {"HEAD_NORM_FIRST", "false", FamilyKey::Role::kOnly},
    {"CONV_MLP", "false", FamilyKey::Role::kOnly},
    {"STEM_TYPE", "patch", FamilyKey::Role::kOnly},
});
inline constexpr auto kConvNextNetworks = std::to_array<Network>({
    {"convnext_base", 224, "[3,3,27,3] [128,256,512,1024]"},
    {"convnext_large", 224, "[3,3,27,3] [192,384,768,1536]"},
    {"convnext_small", 224, "[3,3,27,3] [96,192,384,768]"},
    {"convnext_tiny", 224, "[3,3,9,3] [96,192,384,768]"},
    {"convnext_xlarge", 224, "[3,3,27,3] [256,512,1024,2048]"},
});

inline constexpr auto kMobileOneKeys = std::to_array<FamilyKey>({
    {"NUM_BLOCKS", "[1,2,8,10,1]"},
    {"CHANNELS", "[64,64,128,256,512]"},
    {"STRIDES", "[2,2,2,2,2]", FamilyKey::Role::kIdle},
    {"EXPANSIONS", "[0.75,0.75,1,1,2]"},
    {"NUM_BRANCHES", "[4,4,4,4,4]"},
    {"DEPLOY", "false", FamilyKey::Role::kOnly},
    {"USE_SE", "false"},
});
inline constexpr auto kMobileOneNetworks = std::to_array<Network>({
    {"mobileone_s0",
     256,
     "[1,2,8,10,1] [64,64,128,256,512] [0.75,0.75,1,1,2] [4,4,4,4,4] false"},
    {"mobileone_s1",
     256,
     "[1,2,8,10,1] [64,64,128,256,512] [1,1.5,1.5,2,2.5] [1,1,1,1,1] false"},
    {"mobileone_s2",
     256,
     "[1,2,8,10,1] [64,64,128,256,512] [1,1.5,2,2.5,4] [1,1,1,1,1] false"},
    {"mobileone_s3",
     256,
     "[1,2,8,10,1] [64,64,128,256,512] [1,2,2.5,3,4] [1,1,1,1,1] false"},
    {"mobileone_s4",
     256,
     "[1,2,8,10,1] [64,64,128,256,512] [1,3,3.5,3.5,4] [1,1,1,1,1] true"},
});

inline constexpr auto kHaloNetKeys = std::to_array<FamilyKey>({
    {"ACT", "none"},
    {"STAGE1_BLOCK", "[bottle,bottle,bottle]"},
    {"STAGE2_BLOCK", "[bottle,bottle,bottle,attn]"},
    {"STAGE3_BLOCK", "[bottle,attn,bottle,attn,bottle,attn]"},
    {"STAGE4_BLOCK", "[bottle,attn,bottle]"},
    {"CHANNEL", "[64,256,512,1024,2048]"},
    {"NUM_HEAD", "[0,4,8,8]"},
    {"STRIDE", "[1,2,2,2]", FamilyKey::Role::kOnly},
    {"DEPTH", "[3,4,6,3]"},
    {"BLOCK_SIZE", "8"},
    {"HALO_SIZE", "3"},
    {"HIDDEN_CHANNEL", "1024"},
});
inline constexpr auto kHaloNetNetworks = std::to_array<Network>({
    {"halonet26t",
     256,
     "relu [bottle,bottle] [bottle,bottle] [bottle,attn] [attn,attn] "
     "[64,256,512,1024,2048] [0,0,8,8] [2,2,2,2] 8 2 1024"},
    {"halonet50ts",
     256,
     "silu [bottle,bottle,bottle] [bottle,bottle,bottle,attn] "
     "[bottle,attn,bottle,attn,bottle,attn] [bottle,attn,bottle] "
     "[64,256,512,1024,2048] [0,4,8,8] [3,4,6,3] 8 3 none"},
});

// RegNet, DeiT's teacher. PaddleViT has one such network, and its config has no
// keys for the network's sizes.
inline constexpr auto kRegNetNetworks = std::to_array<Network>({
    {"regnety_160", 224, ""},
});

inline constexpr auto kConvNets = std::to_array<PaddleFamily>({
    {.name = "ConvNeXt",
     .types = "convnext",
     .keys = kConvNextKeys,
     .networks = kConvNextNetworks,
     .defaults = {.base_lr = 0.004, .ema = true, .droppath = 0}},
    {.name = "MobileOne",
     .types = "mobileone",
     .keys = kMobileOneKeys,
     .networks = kMobileOneNetworks,
     .defaults =
         {.warmup = 3,
          .weight_decay = 0.01,
          .base_lr = 0.002,
          .warmup_lr = 0.0002,
          .end_lr = 0.0002,
          .scaled_lr = 0,
          .ema = true,
          .droppath = 0,
          .also =
              [](Config& config) {
                config.train.auto_augment = true;
                config.train.rand_augment = false;
                config.save_freq = 1;
              }}},
    {.name = "HaloNet",
     .types = "halo halonet",
     .keys = kHaloNetKeys,
     .networks = kHaloNetNetworks,
     .defaults =
         {.epochs = 150,
          .warmup = 3,
          .weight_decay = 8e-5,
          .base_lr = 0.1,
          .warmup_lr = 0.0002,
          .end_lr = 0.0002,
          .scaled_lr = 128,
          .droppath = 0,
          .crop_pct = 0.95,
          .image_size = 256}},
    {.name = "RegNet",
     .types = "regnet",
     .networks = kRegNetNetworks,
     .defaults = {.warmup = 5, .end_lr = 0.0, .ema = true, .droppath = 0.0}},
});

} // namespace vitrain::config::paddlevit

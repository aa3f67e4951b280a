#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_schema.h"

// Transformers with several stages of decreasing resolution.
namespace vitrain::config::paddlevit {

inline constexpr auto kSwinKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "16"},
    {"WINDOW_SIZE", "7"},
    {"EMBED_DIM", "96"},
    {"NUM_HEADS", "[3,6,12,24]"},
    {"STAGE_DEPTHS", "[2,2,6,2]"},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"QK_SCALE", "none", FamilyKey::Role::kOnly},
    {"APE", "false", FamilyKey::Role::kOnly},
    {"PATCH_NORM", "true", FamilyKey::Role::kIdle},
});
inline constexpr auto kSwinNetworks = std::to_array<Network>({
    {"swin_base_patch4_window12_384", 384, "4 12 128 [4,8,16,32] [2,2,18,2]"},
    {"swin_base_patch4_window7_224", 224, "4 7 128 [4,8,16,32] [2,2,18,2]"},
    {"swin_large_patch4_window12_384", 384, "4 12 192 [6,12,24,48] [2,2,18,2]"},
    {"swin_large_patch4_window7_224", 224, "4 7 192 [6,12,24,48] [2,2,18,2]"},
    {"swin_small_patch4_window7_224", 224, "4 7 96 [3,6,12,24] [2,2,18,2]"},
    {"swin_tiny_patch4_window7_224", 224, "4 7 96 [3,6,12,24] [2,2,6,2]"},
});

inline constexpr auto kPvtKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "4", FamilyKey::Role::kIdle},
    {"EMBED_DIM", "[32,64,160,256]"},
    {"NUM_HEADS", "[1,2,5,8]"},
    {"ATTN_HEAD_SIZE", "none", FamilyKey::Role::kIdle},
    {"STAGE_DEPTH", "[2,2,2,2]"},
    {"QK_SCALE", "none", FamilyKey::Role::kIdle},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "[8,8,4,4]"},
    {"SR_RATIO", "[8,4,2,1]", FamilyKey::Role::kOnly},
    {"LINEAR", "none"},
});
inline constexpr auto kPvtNetworks = std::to_array<Network>({
    {"pvt_v2_b0", 224, "[32,64,160,256] [1,2,5,8] [2,2,2,2] [8,8,4,4] none"},
    {"pvt_v2_b1", 224, "[64,128,320,512] [1,2,5,8] [2,2,2,2] [8,8,4,4] none"},
    {"pvt_v2_b2", 224, "[64,128,320,512] [1,2,5,8] [3,4,6,3] [8,8,4,4] none"},
    {"pvt_v2_b2_li",
     224,
     "[64,128,320,512] [1,2,5,8] [3,4,6,3] [8,8,4,4] true"},
    {"pvt_v2_b3", 224, "[64,128,320,512] [1,2,5,8] [3,4,18,3] [8,8,4,4] none"},
    {"pvt_v2_b4", 224, "[64,128,320,512] [1,2,5,8] [3,8,27,3] [8,8,4,4] none"},
    {"pvt_v2_b5", 224, "[64,128,320,512] [1,2,5,8] [3,6,40,3] [4,4,4,4] none"},
});

inline constexpr auto kPitKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "14"},
    {"STRIDE", "7"},
    {"BASE_DIMS", "[64,64,64]"},
    {"NUM_HEADS", "[4,8,16]"},
    {"DEPTH", "[3,6,4]"},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
});
inline constexpr auto kPitNetworks = std::to_array<Network>({
    {"pit_b_224",
     224,
     "14 7 [64,64,64] [4,8,16] [3,6,4]",
     "pit_b_distilled_224"},
    {"pit_s_224",
     224,
     "16 8 [48,48,48] [3,6,12] [2,6,4]",
     "pit_s_distilled_224"},
    {"pit_ti_224",
     224,
     "16 8 [32,32,32] [2,4,8] [2,6,4]",
     "pit_ti_distilled_224"},
    {"pit_xs_224",
     224,
     "16 8 [48,48,48] [2,4,8] [2,6,4]",
     "pit_xs_distilled_224"},
});

inline constexpr auto kCoatKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "4", FamilyKey::Role::kOnly},
    {"EMBED_DIMS", "[152,152,152,152]"},
    {"SERIAL_DEPTHS", "[2,2,2,2]"},
    {"PARALLEL_DEPTH", "6"},
    {"NUM_HEADS", "8"},
    {"MLP_RATIOS", "[4,4,4,4]"},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
});
inline constexpr auto kCoatNetworks = std::to_array<Network>({
    {"coat_lite_medium", 224, "[128,256,320,512] [3,6,10,8] 0 8 [4,4,4,4]"},
    {"coat_lite_mini", 224, "[64,128,320,512] [2,2,2,2] 0 8 [8,8,4,4]"},
    {"coat_lite_small", 224, "[64,128,320,512] [3,4,6,3] 0 8 [8,8,4,4]"},
    {"coat_lite_tiny", 224, "[64,128,256,320] [2,2,2,2] 0 8 [8,8,4,4]"},
    {"coat_mini", 224, "[152,216,216,216] [2,2,2,2] 6 8 [4,4,4,4]"},
    {"coat_small", 224, "[152,320,320,320] [2,2,2,2] 6 8 [4,4,4,4]"},
    {"coat_tiny", 224, "[152,152,152,152] [2,2,2,2] 6 8 [4,4,4,4]"},
});

inline constexpr auto kLevitKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "16", FamilyKey::Role::kOnly},
    {"EMBED_DIM", "[128,256,384]"},
    {"KEY_DIM", "16"},
    {"NUM_HEADS", "[4,6,8]"},
    {"DEPTH", "[2,3,4]"},
    {"ATTN_RATIO", "2", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "2", FamilyKey::Role::kOnly},
    {"USE_CONV", "false", FamilyKey::Role::kOnly},
});
inline constexpr auto kLevitNetworks = std::to_array<Network>({
    {"", 224, "[128,256,384] 16 [4,8,12] [4,4,4]", "levit_128"},
    {"", 224, "[128,256,384] 16 [4,6,8] [2,3,4]", "levit_128s"},
    {"", 224, "[192,288,384] 32 [3,5,6] [4,4,4]", "levit_192"},
    {"", 224, "[256,384,512] 32 [4,6,8] [4,4,4]", "levit_256"},
    {"", 224, "[384,512,768] 32 [6,9,12] [4,4,4]", "levit_384"},
});

inline constexpr auto kVoloKeys = std::to_array<FamilyKey>({
    {"STEM_HIDDEN_DIM", "128"},
    {"TRANS.PATCH_SIZE", "32", FamilyKey::Role::kIdle},
    {"TRANS.LAYERS", "[12,12,20,4]"},
    {"TRANS.EMBED_DIMS", "[384,768,768,768]"},
    {"TRANS.MLP_RATIOS", "[4,4,4,4]"},
    {"TRANS.DOWNSAMPLES", "[true,false,false,false]", FamilyKey::Role::kOnly},
    {"TRANS.OUTLOOK_ATTENTION",
     "[true,false,false,false]",
     FamilyKey::Role::kOnly},
    {"TRANS.NUM_HEADS", "[12,16,16,16]"},
    {"TRANS.QKV_BIAS", "false", FamilyKey::Role::kOnly},
    {"TRANS.QK_SCALE", "false", FamilyKey::Role::kOnly},
});
inline constexpr auto kVoloNetworks = std::to_array<Network>({
    {"volo_d1_224",
     224,
     "64 [4,4,8,2] [192,384,384,384] [3,3,3,3] [6,12,12,12]"},
    {"volo_d1_384",
     384,
     "64 [4,4,8,2] [192,384,384,384] [3,3,3,3] [6,12,12,12]"},
    {"volo_d2_224",
     224,
     "64 [6,4,10,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]"},
    {"volo_d2_384",
     384,
     "64 [6,4,10,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]"},
    {"volo_d3_224",
     224,
     "64 [8,8,16,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]"},
    {"volo_d3_448",
     448,
     "64 [8,8,16,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]"},
    {"volo_d4_224",
     224,
     "64 [8,8,16,4] [384,768,768,768] [3,3,3,3] [12,16,16,16]"},
    {"volo_d4_448",
     448,
     "64 [8,8,16,4] [384,768,768,768] [3,3,3,3] [12,16,16,16]"},
    {"volo_d5_224",
     224,
     "128 [12,12,20,4] [384,768,768,768] [4,4,4,4] [12,16,16,16]"},
    {"volo_d5_448",
     448,
     "128 [12,12,20,4] [384,768,768,768] [4,4,4,4] [12,16,16,16]"},
    {"volo_d5_512",
     512,
     "128 [12,12,20,4] [384,768,768,768] [4,4,4,4] [12,16,16,16]"},
});

inline constexpr auto kStages = std::to_array<PaddleFamily>({
    {.name = "Swin",
     .types = "swin",
     .keys = kSwinKeys,
     .networks = kSwinNetworks,
     .defaults =
         {.warmup_lr = 5e-7, .end_lr = 5e-6, .grad_clip = 5, .crop_pct = 0.9}},
    {.name = "PVTv2",
     .types = "pvtv2",
     .keys = kPvtKeys,
     .networks = kPvtNetworks,
     .defaults = {.warmup = 5}},
    {.name = "PiT",
     .types = "pit",
     .keys = kPitKeys,
     .networks = kPitNetworks,
     .defaults = {.warmup = 5, .end_lr = 0, .ema = true},
     .two_heads = true},
    {.name = "CoaT",
     .types = "coat coat_lite",
     .keys = kCoatKeys,
     .networks = kCoatNetworks,
     .defaults = {.base_lr = 0.004, .ema = true, .droppath = 0},
     .note = "the three scales of a parallel block (PARALLEL_DEPTH) share one "
             "MLP, as the authors' and timm's do; PaddleViT's have three"},
    {.name = "LeViT",
     .types = "levit",
     .keys = kLevitKeys,
     .networks = kLevitNetworks,
     .defaults =
         {.epochs = 1000,
          .warmup = 5,
          .weight_decay = 0.025,
          .scaled_lr = 0,
          .ema = true,
          .distillation = "hard",
          .also =
              [](Config& config) {
                config.train.mixup_alpha = 0.2;
                config.train.random_erase_prob = 0.2;
                config.seed = 42;
              }},
     .two_heads = true},
    {.name = "VOLO",
     .types = "volo",
     .keys = kVoloKeys,
     .networks = kVoloNetworks,
     .defaults =
         {.warmup = 3, .base_lr = 0.001, .scaled_lr = 128, .droppath = 0},
     .note = "END_LR is 1e-5 where the file has none, as the authors train; "
             "PaddleViT's default is 49, by a slip of the pen"},
});

} // namespace vitrain::config::paddlevit

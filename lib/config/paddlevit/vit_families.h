#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_schema.h"

// ViT and its derivatives in PaddleViT: DeiT, MAE, and HVT, which pools tokens.
namespace vitrain::config::paddlevit {

// Masked autoencoders. In PaddleViT, the script decides whether a file is for
// pretraining; here the key MAE_PRETRAIN does, which PaddleViT's files for
// fine-tuning lack.
inline constexpr auto kMaeKeys = std::to_array<FamilyKey>({
    {"MAE_PRETRAIN", "false"},
    {"TRANS.PATCH_SIZE", "16"},
    {"TRANS.MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"TRANS.QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"TRANS.MASK_RATIO", "0.75", FamilyKey::Role::kFree},
    {"TRANS.ENCODER.EMBED_DIM", "768"},
    {"TRANS.ENCODER.DEPTH", "12"},
    {"TRANS.ENCODER.NUM_HEADS", "12"},
    {"TRANS.DECODER.EMBED_DIM", "512", FamilyKey::Role::kFree},
    {"TRANS.DECODER.DEPTH", "8", FamilyKey::Role::kFree},
    {"TRANS.DECODER.NUM_HEADS", "8", FamilyKey::Role::kFree},
});
inline constexpr auto kMaeNetworks = std::to_array<Network>({
    {"mae_vit_base_patch16", 224, "true 16 768 12 12"},
    {"mae_vit_large_patch16", 224, "true 16 1024 24 16"},
    {"mae_vit_huge_patch14", 224, "true 14 1280 32 16"},
    {"vit_base_patch16_224", 224, "false 16 768 12 12"},
    {"vit_large_patch16_224", 224, "false 16 1024 24 16"},
    {"vit_huge_patch14_224", 224, "false 14 1280 32 16"},
});

// `config` must be of family MAE. Does nothing unless MAE_PRETRAIN is true.
// Then sets loss, metric, model.mask_ratio, model.norm_pix_loss and the
// decoder's keys, and resets classes, drop_path, mixup, CutMix and label
// smoothing.
void translate_mae(const Config& config, Recipe& recipe);

inline constexpr auto kHvtKeys = std::to_array<FamilyKey>({
    {"PATCH_SIZE", "16", FamilyKey::Role::kOnly},
    {"IN_CHANNELS", "3", FamilyKey::Role::kOnly},
    {"EMBED_DIM", "384"},
    {"DEPTH", "12", FamilyKey::Role::kOnly},
    {"MLP_RATIO", "4", FamilyKey::Role::kOnly},
    {"NUM_HEADS", "6"},
    {"QKV_BIAS", "true", FamilyKey::Role::kOnly},
    {"INIT_VALUES", "1e-5", FamilyKey::Role::kIdle},
    {"POOL_KERNEL_SIZE", "3", FamilyKey::Role::kOnly},
    {"POOL_STRIDE", "2", FamilyKey::Role::kIdle},
    {"POOL_BLOCK_WIDTH", "6"},
});
// With POOL_BLOCK_WIDTH 12 or 13, only the first of 12 blocks pools.
inline constexpr auto kHvtNetworks = std::to_array<Network>({
    {"hvt_s0_patch16_224", 224, "384 6 0"},
    {"hvt_s1_patch16_224", 224, "384 6 12"},
    {"hvt_s2_patch16_224", 224, "384 6 6"},
    {"hvt_s3_patch16_224", 224, "384 6 4"},
    {"hvt_ti_1_patch16_224", 224, "192 3 13"},
    {"scale_hvt_ti_4_patch16_224", 224, "384 6 3"},
});

inline constexpr auto kVits = std::to_array<PaddleFamily>({
    {.name = "ViT",
     .types = "vit",
     .defaults =
         {.warmup = 32,
          .weight_decay = 0.3,
          .base_lr = 3e-3,
          .end_lr = 0.0,
          .scaled_lr = 0,
          .droppath = 0.0,
          .half = true},
     .vit_numbers = true,
     .decays_all = true},
    {.name = "DeiT",
     .types = "deit",
     .defaults =
         {.warmup = 5,
          .end_lr = 0.0,
          .ema = true,
          .droppath = 0.0,
          .distillation = "hard",
          .also =
              [](Config& config) {
                config.train.teacher_model = "./regnety_160.pdparams";
              }},
     .vit_numbers = true,
     .two_heads = true},
    {.name = "MAE",
     .types = "mae",
     .keys = kMaeKeys,
     .networks = kMaeNetworks,
     .defaults =
         {.epochs = 800,
          .warmup = 40,
          .base_lr = 1.5e-4,
          .end_lr = 0.0,
          .scaled_lr = 256,
          .droppath = 0.0,
          .also =
              [](Config& config) {
                config.train.rand_augment = false;
                config.train.rand_augment_layers = 9;
                config.train.rand_augment_magnitude = 5;
                config.train.color_jitter = 0.0;
                config.train.random_erase_prob = 0.0;
                config.train.optimizer.betas = {0.9, 0.95};
                config.save_freq = 1;
                config.report_freq = 100;
                config.validate_freq = 100;
              }},
     .decays_all = true,
     .translate = translate_mae,
     .note = "for fine-tuning, the position embedding is learned, as timm's "
             "ViT has it; "
             "PaddleViT's MAE keeps a fixed one, and has so many parameters "
             "less"},
    {.name = "HVT",
     .types = "hvt",
     .keys = kHvtKeys,
     .networks = kHvtNetworks,
     .defaults = {.weight_decay = 0.1, .base_lr = 1e-3},
     .note = "DROPPATH is the last block's and rises to it, as the authors "
             "have it; PaddleViT's blocks all have it"},
});

} // namespace vitrain::config::paddlevit

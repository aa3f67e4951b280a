#pragma once

#include <array>
#include <string_view>

#include "config/foreign/words.h"

// Arguments that timm's train.py has only since 1.0.30, by subject.
namespace vitrain::config::foreign {

inline constexpr std::string_view kTimmLabels =
    "several labels for an image: data.train.multi_label, of lists";
inline constexpr std::string_view kTimmWeights =
    "a number, or train.class_weights and train.class_balance";
inline constexpr std::string_view kTimmOtherLoss =
    "of a loss that is not there";
inline constexpr std::string_view kTimmLoaders =
    "loader threads live as long as the run";

inline constexpr auto kTimmNewerWords = std::to_array<Word>({
    missing("task", Takes::kText, "classification", kTimmLabels),
    missing("target_format", Takes::kText, "null", kTimmLabels),
    idle("multilabel_threshold", Takes::kNumber, "0.5", kTimmLabels),
    missing(
        "pretrained_cfg_overlay",
        Takes::kMap,
        "{}",
        "what timm knows of weights: data.preprocess and model.*"),
    to("loss",
       Takes::kText,
       "null",
       "train.loss",
       "ce, bce, jsd; not asl, poly, twoway, zlpr and db"),
    to("loss_pos_weight",
       Takes::kText,
       "null",
       "train.bce_pos_weight",
       kTimmWeights)
        .with("loss: bce"),
    missing("loss_class_weight", Takes::kText, "null", kTimmWeights),
    idle("loss_weight_power", Takes::kNumber, "1.0", kTimmWeights),
    idle("loss_weight_beta", Takes::kNumber, "0.999", kTimmWeights),
    idle("loss_weight_max", Takes::kNumber, "null", kTimmWeights),
    idle("class_stats", Takes::kText, "null", kTimmWeights),
    idle("asl_gamma_pos", Takes::kNumber, "1.0", kTimmOtherLoss),
    idle("asl_gamma_neg", Takes::kNumber, "4.0", kTimmOtherLoss),
    idle("asl_clip", Takes::kNumber, "0.05", kTimmOtherLoss),
    idle("asl_reduction", Takes::kText, "batchmean", kTimmOtherLoss),
    idle("poly_epsilon", Takes::kNumber, "2.0", kTimmOtherLoss),
    idle("poly_gamma", Takes::kNumber, "0.0", kTimmOtherLoss),
    idle("poly_alpha", Takes::kNumber, "null", kTimmOtherLoss),
    idle("twoway_tp", Takes::kNumber, "4.0", kTimmOtherLoss),
    idle("twoway_tn", Takes::kNumber, "1.0", kTimmOtherLoss),
    idle("db_neg_scale", Takes::kNumber, "2.0", kTimmOtherLoss),
    idle("db_init_bias", Takes::kNumber, "0.05", kTimmOtherLoss),
    idle("db_focal_gamma", Takes::kNumber, "2.0", kTimmOtherLoss),
    to("lr_decay_fn",
       Takes::kText,
       "null",
       "schedule.cooldown_shape",
       "of wsd and rsqrt: 1-sqrt, linear, cosine; not power and exp")
        .with("sched: wsd"),
    to("lr_stable_timescale",
       Takes::kNumber,
       "null",
       "schedule.timescale",
       "of rsqrt, in epochs; null: the warm-up")
        .with("sched: rsqrt"),
    to("stop_epoch",
       Takes::kInteger,
       "null",
       "run.stop_after",
       "with a checkpoint; each resume trains for this length again"),
    idle(
        "save_epochs",
        Takes::kIntegers,
        "null",
        "checkpoint.every, checkpoint.keep_last and checkpoint.keep_best say "
        "which checkpoints stay"),
    idle("persistent_workers", Takes::kFlag, "true", kTimmLoaders),
    idle("no_persistent_workers", Takes::kFlag, "false", kTimmLoaders),
});

} // namespace vitrain::config::foreign

#include "config/foreign/timm_translator.h"
#include "core/ascii.h"

#include <cmath>

namespace vitrain::config::foreign {
namespace {

// Parameters that timm's models exempt from weight decay (no_weight_decay()),
// in addition to biases, one-dimensional parameters and tokens: prefix of the
// model's name, and suffixes of parameter names.
constexpr std::pair<std::string_view, std::string_view> kExempt[] = {
    {"swin_", "relative_position_bias_table"},
    {"swinv2_", "cpb_mlp.0.weight cpb_mlp.2.weight logit_scale"},
    {"beit", "relative_position_bias_table"},
    {"crossvit_", "cls_token_0 cls_token_1 pos_embed_0 pos_embed_1"},
    {"coat_", "cls_token1 cls_token2 cls_token3 cls_token4"},
    {"levit", "attention_biases"},
};

// Smaller deviations from a whole number of epochs are rounding errors.
constexpr double kPartOfAnEpoch = 1e-6;

} // namespace

void TimmTranslator::translate_training() {
  translate_optimizer();
  translate_decay();
  translate_rate();
  translate_schedule();
  translate_loss();
  translate_average();
  translate_rest();
}

void TimmTranslator::translate_decay() {
  OptimConfig& optim = recipe_.optim;
  optim.no_decay = {
      "bias", "norm", "cls_token", "dist_token", "reg_token", "pos_embed"};
  for (const auto& [prefix, ends] : kExempt) {
    if (recipe_.model.name.starts_with(prefix)) {
      const std::vector<std::string> more = split(ends, ' ');
      optim.no_decay.insert(optim.no_decay.end(), more.begin(), more.end());
    }
  }
}

void TimmTranslator::translate_rate() {
  OptimConfig& optim = recipe_.optim;
  ScaleConfig& scale = recipe_.schedule.scale;
  if (words_.number("lr") != 0.0) { // timm treats 0 as not set
    optim.lr = words_.number("lr");
    return;
  }
  optim.lr = words_.number("lr_base");
  scale.base_batch = words_.integer("lr_base_size");
  const std::string opt = ascii_lower(words_.text("opt"));
  const bool adaptive = opt.find("ada") != std::string::npos ||
      opt.find("lamb") != std::string::npos;
  const bool root = words_.has("lr_base_scale")
      ? words_.text("lr_base_scale") == "sqrt"
      : adaptive;
  scale.rule = root ? ScaleRule::kSqrt : ScaleRule::kLinear;
}

void TimmTranslator::translate_schedule() {
  ScheduleConfig& schedule = recipe_.schedule;
  const std::int64_t warmup = words_.integer("warmup_epochs");
  const bool prefix = words_.flag("warmup_prefix");
  const std::string name = words_.text("sched");
  const std::int64_t epochs = words_.integer("epochs");
  recipe_.run.epochs = epochs + (prefix ? warmup : 0);
  schedule.unit = words_.flag("sched_on_updates") ? ScheduleUnit::kStep
                                                  : ScheduleUnit::kEpoch;
  // Without a scheduler, every step has the rate of the first step.
  const bool unscheduled = name == "none";
  schedule.warmup = in_epochs(unscheduled ? 0.0 : static_cast<double>(warmup));
  schedule.warmup_prefix = prefix || warmup == 0;
  schedule.step_every = in_epochs(
      words_.given("decay_epochs") ? words_.number("decay_epochs") : 90.0);
  if (name != "poly") {
    schedule.step_factor = words_.number("decay_rate");
  }
  if (name == "cosine" || name == "poly") {
    schedule.name =
        name == "poly" ? ScheduleKind::kPolynomial : ScheduleKind::kCosine;
    schedule.power = name == "poly" ? words_.number("decay_rate") : 1.0;
    translate_cycles(epochs);
  } else if (name == "step" || name == "multistep") {
    schedule.name = ScheduleKind::kStep;
    set_milestones(name == "multistep", prefix ? warmup : 0);
  } else if (name == "wsd" || name == "rsqrt") {
    translate_stable(name, epochs - (prefix ? 0 : warmup));
  } else if (name == "plateau") {
    schedule.name = ScheduleKind::kPlateau;
    schedule.patience = words_.integer("patience_epochs");
  } else {
    schedule.name = ScheduleKind::kConstant;
    if (!unscheduled && name != "constant") {
      left_out(
          "sched",
          "there are cosine, step, multistep, poly, wsd, rsqrt, plateau, "
          "constant and none; the recipe has constant");
    }
  }
}

void TimmTranslator::translate_cycles(std::int64_t epochs) {
  ScheduleConfig& schedule = recipe_.schedule;
  schedule.cycles = std::max<std::int64_t>(1, words_.integer("lr_cycle_limit"));
  if (schedule.cycles > 1) {
    schedule.cycle_mul = words_.number("lr_cycle_mul");
    schedule.cycle_decay = words_.number("lr_cycle_decay");
    const auto count = static_cast<double>(schedule.cycles);
    const auto first = static_cast<double>(epochs);
    const double mul = schedule.cycle_mul;
    // Computed in the order of timm's get_cycle_length(), because rounding
    // decides about a whole epoch.
    const double whole = mul == 1.0
        ? first * count
        : -first * (std::pow(mul, count) - 1.0) / (1.0 - mul);
    const double length = std::floor(whole);
    if (whole - length > kPartOfAnEpoch) {
      differs(
          "lr_cycle_mul",
          fmt::format(
              "timm's cycles have {:.6g} epochs and are cut where its run of "
              "{:.0f} ends; here they end with it, each a little shorter",
              whole,
              length));
    }
    recipe_.run.epochs += static_cast<std::int64_t>(length) - epochs;
  }
  const std::int64_t cooldown = words_.integer("cooldown_epochs");
  schedule.cooldown = in_epochs(static_cast<double>(cooldown));
  recipe_.run.epochs += cooldown;
}

void TimmTranslator::translate_stable(
    std::string_view name,
    std::int64_t length) {
  ScheduleConfig& schedule = recipe_.schedule;
  const bool rsqrt = name == "rsqrt";
  schedule.name = rsqrt ? ScheduleKind::kRsqrt : ScheduleKind::kConstant;
  schedule.cooldown_shape =
      rsqrt ? CooldownShape::kLinear : CooldownShape::kSqrt;
  if (words_.has("lr_decay_fn")) {
    const std::string shape = words_.text("lr_decay_fn");
    const auto known =
        value_of<CooldownShape>(shape == "1-sqrt" ? "sqrt" : shape);
    if (known) {
      schedule.cooldown_shape = *known;
    } else {
      left_out("lr_decay_fn", "there are 1-sqrt, linear and cosine");
    }
  }
  if (rsqrt && words_.has("lr_stable_timescale")) {
    schedule.timescale = in_epochs(words_.number("lr_stable_timescale"));
  }
  const auto whole = static_cast<double>(length);
  double decay =
      words_.given("decay_epochs") ? words_.number("decay_epochs") : 0.2;
  if (decay > whole) {
    differs(
        "decay_epochs",
        fmt::format(
            "timm refuses more than the {} epochs behind the warm-up; here it "
            "is the last fifth of them, its scheduler's own default",
            length));
    decay = 0.2;
  }
  schedule.cooldown =
      in_epochs(std::round(decay > 0.0 && decay < 1.0 ? decay * whole : decay));
  if (words_.integer("cooldown_epochs") > 0) {
    left_out("cooldown_epochs", "the run ends where it has come to min_lr");
  }
}

void TimmTranslator::set_milestones(bool listed, std::int64_t offset) {
  const auto add = [&](double epoch) {
    recipe_.schedule.milestones.push_back(
        in_epochs(epoch + static_cast<double>(offset)));
  };
  if (listed) {
    // timm's MultiStepLRScheduler decays one epoch (or one update) earlier.
    const bool by_step = recipe_.schedule.unit == ScheduleUnit::kStep;
    std::ranges::for_each(words_.integers("decay_milestones"), [&](auto n) {
      add(static_cast<double>(by_step ? n : std::max<std::int64_t>(1, n - 1)));
    });
    if (by_step) {
      differs("decay_milestones", "timm's drops come one update earlier");
    }
  } else if (offset > 0 && recipe_.schedule.step_every.value > 0.0) {
    const double interval = recipe_.schedule.step_every.value;
    const auto end = static_cast<double>(words_.integer("epochs"));
    for (double epoch = interval; epoch < end; epoch += interval) {
      add(epoch);
    }
  }
}

void TimmTranslator::translate_loss() {
  TrainConfig& train = recipe_.train;
  const std::string name = words_.text("loss");
  const bool soft =
      recipe_.data.augment.mix.wanted() || train.label_smoothing > 0.0;
  if (name == "bce" || (words_.flag("bce_loss") && soft)) {
    train.loss = LossKind::kBinaryCrossEntropy;
  } else if (words_.flag("bce_loss")) {
    differs(
        "bce_loss",
        "cross entropy without mixup, cutmix and smoothing, as timm before "
        "1.0.30; --loss bce is binary cross entropy");
  } else if (!name.empty() && name != "ce" && name != "jsd") {
    left_out("loss", "there are ce, bce and jsd");
  }
  translate_splits();
  translate_binary();
  train.accumulate = words_.integer("grad_accum_steps");
  if (train.accumulate > 1) {
    recipe_.data.sampler.last_batch = LastBatch::kMicro;
  }
  const bool amp = words_.flag("amp") || words_.flag("native_amp") ||
      words_.flag("apex_amp");
  const std::string model_type = words_.text("model_dtype");
  const bool reduced = model_type == "bfloat16" || model_type == "float16";
  const bool fp16 = amp && words_.text("amp_dtype") == "float16";
  const bool cpu = words_.text("device") == "cpu";
  train.precision = fp16 && !cpu ? Precision::kFp16
      : amp || reduced           ? Precision::kBf16
                                 : Precision::kFp32;
  if (fp16 && cpu) {
    differs("amp_dtype", "bf16: fp16 is for GPUs");
  }
  if (reduced) {
    differs("model_dtype", "products in bf16, and weights in fp32");
  }
}

void TimmTranslator::translate_binary() {
  TrainConfig& train = recipe_.train;
  if (train.loss != LossKind::kBinaryCrossEntropy) {
    without_effect(
        {"bce_sum", "bce_target_thresh", "bce_pos_weight", "loss_pos_weight"});
    return;
  }
  train.bce_sum = words_.flag("bce_sum");
  if (words_.has("bce_target_thresh")) {
    train.bce_threshold = words_.number("bce_target_thresh");
  }
  if (words_.has("bce_pos_weight")) {
    train.bce_pos_weight = words_.number("bce_pos_weight");
  }
  double weight = 0.0;
  if (parse_double(words_.text("loss_pos_weight"), weight)) {
    train.bce_pos_weight = weight;
  } else if (words_.has("loss_pos_weight")) {
    left_out("loss_pos_weight", "a number");
  }
}

void TimmTranslator::translate_average() {
  EmaConfig& ema = recipe_.train.ema;
  if (words_.flag("model_ema")) {
    ema.decay = words_.number("model_ema_decay");
    ema.warm_up = words_.flag("model_ema_warmup");
    if (words_.flag("model_ema_force_cpu")) { // since timm does not evaluate it
      recipe_.checkpoint.weights = JudgedWeights::kRaw;
    }
  } else {
    without_effect({"model_ema_force_cpu"});
  }
}

// In timm, resplit belongs to random erasing: it spares the first of the
// splits, or without splits the first half of the batch.
void TimmTranslator::translate_splits() {
  const bool wanted = words_.flag("jsd_loss") || words_.text("loss") == "jsd";
  if (wanted) {
    recipe_.train.loss = LossKind::kJensenShannon;
    if (words_.integer("aug_splits") > 0) { // timm requires aug_splits
      recipe_.train.jsd_splits = words_.integer("aug_splits");
    }
  } else if (words_.integer("aug_splits") > 0) {
    left_out("aug_splits", "without jsd_loss: a batch is augmented once");
  }
  EraseConfig& erase = recipe_.data.augment.erase;
  if (!words_.flag("resplit")) {
    return;
  }
  if (wanted) {
    erase.erasing_clean = !erase.active();
  } else if (erase.active()) {
    left_out("resplit", "without jsd_loss: all of a batch is erased");
  }
}

// timm's train.py lets DistributedDataParallel broadcast buffers before every
// step, unless no_ddp_bb is set, and synchronises them after every epoch as
// dist_bn says.
void TimmTranslator::translate_statistics() {
  if (words_.flag("sync_bn")) {
    return;
  }
  const std::string ends = words_.text("dist_bn");
  const bool averages = ends == "reduce";
  BatchNormStatistics& statistics = recipe_.dist.batchnorm;
  if (!words_.flag("no_ddp_bb")) {
    statistics = averages ? BatchNormStatistics::kBroadcastAverage
                          : BatchNormStatistics::kBroadcast;
    return;
  }
  statistics = ends == "broadcast" ? BatchNormStatistics::kBroadcast
                                   : BatchNormStatistics::kLocal;
  if (!averages) {
    left_out(
        "dist_bn",
        ends == "broadcast"
            ? "with no_ddp_bb; dist.batchnorm: broadcast does so before every "
              "step, too"
            : "with no_ddp_bb; dist.batchnorm: local averages statistics for "
              "evaluations");
  }
}

void TimmTranslator::translate_rest() {
  translate_machine("log_interval");
  translate_statistics();
  if (words_.has("experiment")) {
    recipe_.run.name = words_.text("experiment");
    std::ranges::replace(recipe_.run.name, '/', '_');
  }
  recipe_.eval.every = recipe_.checkpoint.every =
      in_epochs(static_cast<double>(words_.integer("val_interval")));
  recipe_.checkpoint.keep_best = words_.integer("checkpoint_hist");
  recipe_.checkpoint.keep_last = 1;
  if (words_.integer("stop_epoch") > 0 &&
      words_.integer("stop_epoch") < recipe_.run.epochs) {
    recipe_.run.stop_after =
        in_epochs(static_cast<double>(words_.integer("stop_epoch")));
  }
  if (words_.text("resume") == "auto") {
    // No key of the recipe: `--resume auto` is -resume of vitrain.
    to_.idle.emplace_back("resume");
  } else if (words_.has("resume")) {
    left_out(
        "resume",
        "-resume continues runs of vitrain; -pretrained takes the weights");
  }
}

} // namespace vitrain::config::foreign

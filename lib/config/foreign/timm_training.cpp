#include "config/foreign/timm_translator.h"

namespace vitrain::config::foreign {
namespace {

Duration timm_epochs(double count) {
  return {count, Duration::Unit::kEpochs};
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// What models of timm exempt from decay (no_weight_decay()), beside biases,
// what has one dimension and the usual tokens: ends of names, of models whose
// names begin so.
constexpr std::pair<std::string_view, std::string_view> kExempt[] = {
    {"swin_", "relative_position_bias_table"},
    {"swinv2_", "cpb_mlp.0.weight cpb_mlp.2.weight logit_scale"},
    {"beit", "relative_position_bias_table"},
    {"crossvit_", "cls_token_0 cls_token_1 pos_embed_0 pos_embed_1"},
    {"coat_", "cls_token1 cls_token2 cls_token3 cls_token4"},
    {"levit", "attention_biases"},
};

} // namespace

void TimmTranslator::translate_training() {
  translate_optimizer();
  translate_decay();
  translate_rate();
  translate_schedule();
  translate_loss();
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
  if (words_.has("lr")) {
    optim.lr = words_.number("lr");
    return;
  }
  optim.lr = words_.number("lr_base");
  scale.base_batch = words_.integer("lr_base_size");
  const std::string opt = lower_case(words_.text("opt"));
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
  recipe_.run.epochs = words_.integer("epochs") + (prefix ? warmup : 0);
  schedule.unit = words_.flag("sched_on_updates") ? ScheduleUnit::kStep
                                                  : ScheduleUnit::kEpoch;
  schedule.warmup = timm_epochs(static_cast<double>(warmup));
  schedule.warmup_lr = words_.number("warmup_lr");
  schedule.min_lr = words_.number("min_lr");
  schedule.step_every = timm_epochs(words_.number("decay_epochs"));
  schedule.step_factor = words_.number("decay_rate");
  if (name == "cosine") {
    schedule.name = ScheduleKind::kCosine;
    if (warmup > 0 && !prefix) {
      differs(
          "warmup_epochs",
          "the cosine begins behind the warm-up; timm's begins with it, "
          "and is a little lower");
    }
  } else if (name == "step" || name == "multistep") {
    schedule.name = ScheduleKind::kStep;
    set_milestones(name == "multistep", prefix ? warmup : 0);
  } else {
    schedule.name = ScheduleKind::kConstant;
    if (name != "none" && !name.empty()) {
      left_out("sched", "there are cosine, step, multistep and constant");
    }
  }
}

void TimmTranslator::set_milestones(bool listed, std::int64_t offset) {
  const auto add = [&](double epoch) {
    recipe_.schedule.milestones.push_back(
        timm_epochs(epoch + static_cast<double>(offset)));
  };
  if (listed) {
    std::ranges::for_each(words_.integers("decay_milestones"), [&](auto n) {
      // MultiStepLRScheduler drops one epoch before.
      add(static_cast<double>(std::max<std::int64_t>(1, n - 1)));
    });
  } else if (offset > 0 && words_.number("decay_epochs") > 0.0) {
    const double interval = words_.number("decay_epochs");
    const auto end = static_cast<double>(words_.integer("epochs"));
    for (double epoch = interval; epoch < end; epoch += interval) {
      add(epoch);
    }
  }
}

void TimmTranslator::translate_loss() {
  TrainConfig& train = recipe_.train;
  train.label_smoothing = words_.number("smoothing");
  const bool soft =
      recipe_.data.augment.mix.wanted() || train.label_smoothing > 0.0;
  if (words_.flag("bce_loss") && soft) {
    train.loss = LossKind::kBinaryCrossEntropy;
  }
  train.bce_sum = words_.flag("bce_sum");
  if (words_.has("bce_target_thresh")) {
    train.bce_threshold = words_.number("bce_target_thresh");
  }
  train.accumulate = words_.integer("grad_accum_steps");
  const bool amp = words_.flag("amp") || words_.flag("native_amp") ||
      words_.flag("apex_amp");
  const std::string model_type = words_.text("model_dtype");
  const bool reduced = model_type == "bfloat16" || model_type == "float16";
  train.precision = amp || reduced ? Precision::kBf16 : Precision::kFp32;
  if (amp && words_.text("amp_dtype") != "bfloat16") {
    differs("amp_dtype", "bf16, which needs no scaling of the loss");
  }
  if (reduced) {
    differs("model_dtype", "products in bf16, and weights in fp32");
  }
}

void TimmTranslator::translate_rest() {
  if (words_.text("device") == "cpu") {
    recipe_.devices.kind = DeviceKind::kCpu;
  }
  if (words_.flag("sync_bn")) {
    recipe_.dist.batchnorm = BatchNormStatistics::kSync;
  } else if (words_.text("dist_bn") == "broadcast") {
    recipe_.dist.batchnorm = BatchNormStatistics::kBroadcast;
  }
  recipe_.run.seed = words_.integer("seed");
  if (words_.has("output")) {
    recipe_.run.output = words_.text("output");
  }
  if (words_.has("experiment")) {
    recipe_.run.name = words_.text("experiment");
    std::ranges::replace(recipe_.run.name, '/', '_');
  }
  recipe_.log.every = words_.integer("log_interval");
  recipe_.log.count = LogCount::kEpoch;
  recipe_.eval.every = recipe_.checkpoint.every =
      timm_epochs(static_cast<double>(words_.integer("val_interval")));
  recipe_.checkpoint.keep_best = words_.integer("checkpoint_hist");
  recipe_.checkpoint.keep_last = 1;
  choose("eval_metric", recipe_.checkpoint.metric);
}

} // namespace vitrain::config::foreign

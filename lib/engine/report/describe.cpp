#include "engine/report/describe.h"

#include <filesystem>

#include "config/load/writer.h"
#include "config/rules/dist_rules.h"
#include "config/rules/stages.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "engine/report/describe_model.h"
#include "engine/step/parameter_groups.h"
#include "job/run/run_directory.h"
#include "models/resolve.h"
#include "networks/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vitrain::engine {
namespace {

// Returns, for example, "10 classes" or "200 of 1,000 classes".
std::string describe_classes(const data::Index& index) {
  const std::string all =
      fmt::format("{} classes", with_commas(std::ssize(index.classes())));
  return index.subset().empty()
      ? all
      : fmt::format("{} of {}", with_commas(std::ssize(index.subset())), all);
}

// Returns, for example, "1,234 images held out of the training data (0.1 of
// each class, seed 0)", followed by the index's notes.
std::string describe_split(
    const config::Recipe& recipe,
    const data::Index& index) {
  std::string text = fmt::format(
      "{} held out of the training data ({} of each class, seed {})",
      counted(index.size(), index.classes().empty() ? "row" : "image"),
      shortest(*recipe.data.split),
      recipe.data.split_seed.value_or(recipe.run.seed));
  for (const std::string& note : index.notes()) {
    text += "\n" + note;
  }
  return text;
}

std::string describe_source(
    const config::SourceConfig& source,
    const data::Index& index) {
  const bool vectors = source.kind == config::SourceKind::kVectors;
  std::string text = vectors ? fmt::format(
                                   "{} rows of {} and {}, vectors",
                                   with_commas(index.size()),
                                   counted(index.options().features, "feature"),
                                   counted(index.options().targets, "target"))
                             : fmt::format(
                                   "{} images, {}, {}",
                                   with_commas(index.size()),
                                   describe_classes(index),
                                   name_of(source.kind));
  if (config::is_generated(source)) {
    text += vectors ? fmt::format(" of seed {}", source.seed)
                    : fmt::format(" {} px, seed {}", source.size, source.seed);
  } else {
    text += fmt::format(" {}", printable(source.path.value_or("")));
  }
  for (const std::string& note : index.notes()) {
    text += "\n" + note;
  }
  return text;
}

// Returns the steps per epoch, for example "100, 200 from epoch 31".
std::string steps_of_epochs(const config::Timeline& timeline) {
  std::string text;
  for (const config::EpochSteps& stretch : timeline.stretches()) {
    text += stretch.first_epoch == 0 ? with_commas(stretch.steps)
                                     : fmt::format(
                                           ", {} from epoch {}",
                                           with_commas(stretch.steps),
                                           stretch.first_epoch + 1);
  }
  return text;
}

// Returns, for example, "64 x 2 workers x 1 = 128". If the batch size changes
// during the run, adds a line such as "32 x 2 workers x 1 = 64 from epoch 31"
// for each change.
std::string describe_batch(const RunFacts& facts) {
  std::string text;
  for (const config::BatchStage& stage :
       config::batch_stages(facts.job.recipe, facts.plan.devices())) {
    text += stage.first_epoch == 0 ? stage.batch.batch_text
                                   : fmt::format(
                                         "\n{} from epoch {}",
                                         stage.batch.batch_text,
                                         stage.first_epoch + 1);
  }
  return text;
}

std::string describe_epoch(const RunFacts& facts) {
  const config::Plan& plan = facts.plan;
  const data::EpochCounts counts =
      facts.samplers->of_epoch(0).counts(/*epoch=*/0);
  std::string text = fmt::format(
      "{} x {} = {}",
      counted(plan.steps_per_epoch, "step"),
      counted(plan.epochs(), "epoch"),
      counted(plan.total_steps, "step"));
  if (!plan.timeline.even() ||
      plan.timeline.step_in_epoch(plan.total_steps) != 0) {
    text = fmt::format(
        "{} in epochs of {}",
        counted(plan.total_steps, "step"),
        steps_of_epochs(plan.timeline));
  }
  if (counts.dropped > 0 || counts.repeated > 0) {
    text += fmt::format(
        "\nan epoch has {} of the {} samples ({} left out, {} used again)",
        with_commas(counts.distinct),
        with_commas(facts.train->size()),
        with_commas(counts.dropped),
        with_commas(counts.repeated));
  }
  return text;
}

std::string describe_rate(const RunFacts& facts) {
  const config::Recipe& recipe = facts.job.recipe;
  const config::Plan& plan = facts.plan;
  std::string text =
      fmt::format("{}, {}", plan.lr_text, name_of(recipe.schedule.name));
  if (plan.cooldown_steps > 0) {
    const std::int64_t begin =
        plan.step_of_time(plan.schedule_steps - plan.cooldown_steps);
    text += fmt::format(
        " with {} of cooldown", counted(plan.total_steps - begin, "step"));
  }
  if (recipe.schedule.has_min_lr()) {
    text += fmt::format(" to {}", shortest(plan.min_lr));
  }
  if (plan.warmup_steps > 0) {
    text += fmt::format(
        " after {} of warm-up from {}",
        counted(plan.step_of_time(plan.warmup_steps), "step"),
        shortest(plan.warmup_lr));
  }
  if (recipe.schedule.paddle_exact_schedule) {
    text += ", one epoch ahead as in PaddleViT";
  }
  return text;
}

std::string describe_optimizer(const config::OptimConfig& optim) {
  std::string text = fmt::format(
      "{}, weight decay {}", name_of(optim.name), shortest(optim.weight_decay));
  const auto add = [&](const char* what, const std::optional<double>& value) {
    text += value ? fmt::format(", {} {}", what, shortest(*value)) : "";
  };
  text += optim.cautious ? ", cautious" : "";
  add("layer decay", optim.layer_decay);
  add("clip norm", optim.clip_norm);
  add("clip value", optim.clip_value);
  add("clip agc", optim.clip_agc);
  add("sam", optim.sam);
  if (optim.lookahead.every) {
    text += fmt::format(
        ", lookahead every {} by {}",
        counted(*optim.lookahead.every, "step"),
        shortest(optim.lookahead.alpha));
    if (optim.lookahead.ramp > 0.0) {
      text += fmt::format(" (ramp {})", shortest(optim.lookahead.ramp));
    }
  }
  return text;
}

// Returns, for example, "EMA 0.9998 with warm-up; best by the average" or "mean
// of the weights after 15 steps ..."; "" if weights are not averaged.
std::string describe_average(const RunFacts& facts) {
  const config::EmaConfig& ema = facts.job.recipe.train.ema;
  if (!ema.active()) {
    return "";
  }
  std::string text = ema.equal ? std::string("mean of the weights")
                               : fmt::format("EMA {}", shortest(*ema.decay));
  if (ema.warm_up) {
    text += " with warm-up";
  }
  if (facts.plan.ema_start > 0) {
    text += fmt::format(" after {}", counted(facts.plan.ema_start, "step"));
  }
  if (ema.every > 1) {
    text += fmt::format(
        ", every {} steps{}",
        ema.every,
        ema.count == config::EmaCount::kEpoch ? " of each epoch" : "");
  }
  const bool raw =
      facts.job.recipe.checkpoint.weights == config::JudgedWeights::kRaw;
  return text + (raw ? "; best by the raw weights" : "; best by the average");
}

// Returns, for example, "binary_cross_entropy; soft distillation 0.5 from
// deit_base"; "" for plain cross entropy.
std::string describe_loss(const config::TrainConfig& train, bool heads_apart) {
  std::vector<std::string> parts;
  if (train.loss != config::LossKind::kCrossEntropy) {
    parts.push_back(name_of(train.loss));
  }
  if (train.class_balance != config::ClassBalance::kNone ||
      !train.class_weights.empty()) {
    parts.emplace_back(
        train.class_weighting == config::ClassWeighting::kTerms
            ? "weights for terms of classes"
            : "weights for classes");
  }
  if (train.distill.active()) {
    parts.push_back(fmt::format(
        "{} distillation {} from {}{}",
        name_of(train.distill.type),
        shortest(train.distill.alpha),
        printable(train.distill.teacher),
        heads_apart ? " by its own head" : ""));
  }
  return join(parts, "; ");
}

// Returns, for example, " (every 4 steps in groups of 2, every 16 steps all
// 6)".
std::string describe_levels(
    const config::SyncConfig& sync,
    std::int64_t workers) {
  std::vector<std::string> levels;
  for (const config::SyncLevel& level : config::sync_levels(sync, workers)) {
    levels.push_back(
        fmt::format("every {}", counted(level.period, "step")) +
        (level.size == workers ? fmt::format(" all {}", workers)
                               : fmt::format(" in groups of {}", level.size)));
  }
  return fmt::format(" ({})", join(levels, ", "));
}

// Returns how gradients or weights are exchanged, for example "gloo, allreduce
// in bf16, zero1".
std::string describe_exchange(const RunFacts& facts) {
  const config::DistConfig& dist = facts.job.recipe.dist;
  std::string text = facts.job.backend(facts.workers);
  if (facts.train != nullptr && facts.workers > 1) {
    text += fmt::format(", {}", name_of(dist.sync.mode));
    if (dist.sync.mode == config::SyncMode::kHierarchicalSgd) {
      text += describe_levels(dist.sync, facts.workers);
    }
    if (dist.compress != Compress::kNone) {
      text += fmt::format(" in {}", name_of(dist.compress));
    }
    if (dist.zero1) {
      text += ", zero1";
    }
    if (networks::has_batch_norm(facts.spec) &&
        dist.batchnorm != config::BatchNormStatistics::kLocal) {
      text += fmt::format(", batchnorm {}", name_of(dist.batchnorm));
    }
  }
  return text;
}

// Returns, for example, "elastic: equal weights with 1, 2, 4, 8 workers, which
// compute with one thread each"; "" for fast.
std::string describe_determinism(const config::RunConfig& run) {
  switch (run.determinism) {
    case config::Determinism::kFast:
      return "";
    case config::Determinism::kBitwise:
      return "bitwise: equal weights with these workers, threads and kernels";
    case config::Determinism::kElastic:
      break;
  }
  std::vector<std::int64_t> workers;
  for (std::int64_t count = 1; count <= run.shards; count *= 2) {
    workers.push_back(count);
  }
  return fmt::format(
      "elastic: equal weights with {} workers, which compute with one thread "
      "each",
      fmt::join(workers, ", "));
}

// Returns, for example, "mixup 0.8 or CutMix 1 (batch); erasing 0.25 (pixel)";
// "" for neither.
std::string describe_mixing(const config::AugmentConfig& augment) {
  const config::MixConfig& mix = augment.mix;
  std::vector<std::string> kinds;
  if (mix.mixup > 0.0) {
    kinds.push_back(fmt::format("mixup {}", shortest(mix.mixup)));
  }
  if (mix.cutmix > 0.0 || mix.cutmix_minmax) {
    kinds.push_back(fmt::format(
        "CutMix {}", mix.cutmix_minmax ? "min-max" : shortest(mix.cutmix)));
  }
  std::vector<std::string> parts;
  if (mix.active()) {
    parts.push_back(
        fmt::format("{} ({})", join(kinds, " or "), name_of(mix.mix_mode)));
  }
  if (augment.erase.active()) {
    parts.push_back(fmt::format(
        "erasing {} ({})",
        shortest(augment.erase.erasing),
        name_of(augment.erase.erasing_mode)));
  }
  return join(parts, "; ");
}

// Returns, for example, "bf16 (auto: GPU); evaluation: fp32".
std::string describe_precision(const RunFacts& facts) {
  std::string text = fmt::format(
      "{} ({})", name_of(facts.precision.precision), facts.precision.reason);
  if (facts.eval_precision.precision != facts.precision.precision) {
    text += fmt::format(
        "; evaluation: {}", name_of(facts.eval_precision.precision));
  }
  return text;
}

std::string relative(const std::string& path) {
  std::error_code error;
  const std::string text = std::filesystem::relative(path, error).native();
  return error || text.starts_with("..") ? path : text;
}

} // namespace

std::string describe_title(const RunFacts& facts) {
  return fmt::format(
      "vitrain {}  {}",
      facts.job.version,
      job::run_name(facts.job.recipe, facts.job.config_path));
}

std::vector<logging::BannerSection> describe_run(const RunFacts& facts) {
  const config::Recipe& recipe = facts.job.recipe;
  const logging::BannerSection machine{
      {"devices", facts.job.device_text},
      {"precision", describe_precision(facts)},
      {"exchange", describe_exchange(facts)},
      {"determinism",
       facts.train == nullptr ? "" : describe_determinism(recipe.run)}};
  logging::BannerSection model{
      {"model", describe_model(facts)},
      {"weights", printable(recipe.model.pretrained.value_or(""))}};
  logging::BannerSection data;
  if (facts.train != nullptr) {
    data.push_back({"train", describe_source(recipe.data.train, *facts.train)});
  }
  data.push_back(
      {"eval",
       recipe.data.split ? describe_split(recipe, *facts.eval)
                         : describe_source(recipe.data.eval, *facts.eval)});
  logging::BannerSection plan;
  if (facts.train != nullptr) {
    plan = {
        {"global batch", describe_batch(facts)},
        {"length", describe_epoch(facts)},
        {"lr", describe_rate(facts)},
        {"optimizer", describe_optimizer(recipe.optim)},
        {"average", describe_average(facts)},
        {"loss",
         describe_loss(
             recipe.train,
             models::learns_by_token(recipe.train.distill, facts.spec))},
        {"mixing", describe_mixing(recipe.data.augment)},
        {"stages", printable(join(recipe.data.augment.stages, ", "))}};
  }
  const logging::BannerSection place{
      {"config", printable(facts.job.config_path)},
      {"run folder", printable(relative(facts.job.run_directory))}};
  return {machine, model, data, plan, place};
}

} // namespace vitrain::engine

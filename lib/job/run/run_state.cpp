#include "job/run/run_state.h"

#include <cmath>

#include "config/rules/plan.h"
#include "config/sections/checkpoint.h"
#include "config/sections/recipe.h"
#include "core/check.h"
#include "core/enum_names.h"
#include "core/hash.h"
#include "core/text.h"
#include "data/sources/index.h"
#include "job/run/job.h"
#include "models/families/family.h"

namespace vitrain::job {

bool judges_average(const config::Recipe& recipe) {
  return recipe.train.ema.active() &&
      recipe.checkpoint.weights != config::JudgedWeights::kRaw;
}

std::string judged_by(const config::Recipe& recipe) {
  return fmt::format(
      "{}{}",
      name_of(recipe.checkpoint.metric),
      judges_average(recipe) ? ", ema" : "");
}

bool improves(Metric metric, double value, const Best& best) {
  if (std::isnan(value)) {
    return false;
  }
  if (best.step < 0) {
    return true;
  }
  return info_of(metric).larger_is_better ? value > best.value
                                          : value < best.value;
}

void Best::take(Metric metric, double found, std::int64_t at) {
  if (improves(metric, found, *this)) {
    *this = {
        .value = found, .step = at, .worse = 0, .metric_name = metric_name};
  } else {
    ++worse;
  }
}

void Plateau::take(
    Metric metric,
    double value,
    std::int64_t patience,
    double threshold) {
  const bool better = !std::isnan(value) &&
      (!best ||
       (info_of(metric).larger_is_better ? value > *best * (1.0 + threshold)
                                         : value < *best * (1.0 - threshold)));
  if (better) {
    best = value;
    bad = 0;
    return;
  }
  if (++bad > patience) {
    ++drops;
    bad = 0;
  }
}

bool RunState::judge_by(const std::string& metric) {
  const bool changed = !best.metric_name.empty() && best.metric_name != metric;
  if (changed) {
    best = {};
    plateau.best.reset();
    plateau.bad = 0;
  }
  best.metric_name = metric;
  return changed;
}

Json RunState::to_json() const {
  Json json{
      {"step", step},
      {"best",
       {{"value", best.value},
        {"step", best.step},
        {"worse", best.worse},
        {"metric_name", best.metric_name}}}};
  if (plateau.best || plateau.bad > 0 || plateau.drops > 0) {
    json["plateau"] = {
        {"best", plateau.best ? Json(*plateau.best) : Json(nullptr)},
        {"bad", plateau.bad},
        {"drops", plateau.drops}};
  }
  if (non_finite.in_all > 0) {
    json["non_finite"] = {
        {"in_a_row", non_finite.in_a_row}, {"in_all", non_finite.in_all}};
  }
  return json;
}

Json RunIdentity::to_json() const {
  return {
      {"model", model},
      {"network", network},
      {"num_classes", num_classes},
      {"optim.name", optimizer},
      {"seed", seed},
      {"global_batch", global_batch},
      {"train_samples", train_samples},
      {"train_fingerprint", train_fingerprint},
      {"train_labels", train_labels},
      {"train_folder", train_folder},
      {"sampler", sampler},
      {"batches", batches}};
}

namespace {

// Names the option that restores the batch of the checkpoint; "" if there is
// none.
std::string explain_batch(const RunIdentity& own, const Json& saved) {
  const std::int64_t samples =
      saved.value("global_batch", own.global_batch) * own.devices;
  if (samples <= 0 || samples == own.global_batch * own.devices ||
      samples % own.global_batch != 0) {
    return "";
  }
  const std::int64_t devices = samples / own.global_batch;
  return fmt::format(
      "\nThe checkpoint's batch is that of {}: give -devices {}:{}",
      counted(devices, own.cuda ? "GPU" : "CPU worker"),
      own.cuda ? "cuda" : "cpu",
      devices);
}

// Explains why the training data differ, and how to resume a run whose data
// have only been moved; "" if nothing is known.
std::string explain_data(const RunIdentity& own, const Json& saved) {
  if (saved.value("train_fingerprint", "") == own.train_fingerprint) {
    return "";
  }
  if (own.split) {
    return "\nThe training data depend on data.split, data.fold and "
           "data.split_seed (by default run.seed): give those in the run's "
           "config.yaml";
  }
  if (saved.value("train_samples", Json()) != own.train_samples) {
    return "";
  }
  const std::string labels = saved.value("train_labels", "");
  const std::string folder = saved.value("train_folder", "");
  if (!labels.empty() && labels != own.train_labels) {
    return "\nThe training data (data.train) have other labels or classes than "
           "those of the checkpoint, or another order of the samples.";
  }
  const std::string same = labels.empty()
      ? "\nThe training data (data.train) differ in names, labels or classes."
      : "\nThe training data (data.train) have the same labels in the same "
        "order, and other names of the images.";
  if (folder != own.train_folder && !folder.empty()) {
    return fmt::format(
        "{} The checkpoint's list names images in {}, this run's in {}. If the "
        "data have only moved, continue with the previous list and a link to "
        "the data: ln -s {} {}",
        same,
        folder,
        own.train_folder.empty() ? "its own folder" : own.train_folder,
        own.train_folder.empty() ? "NEW_FOLDER" : own.train_folder,
        folder);
  }
  return own.train_folder.empty()
      ? same
      : fmt::format(
            "{} The list names images by absolute paths, in {}, which count as "
            "names: if the data have only moved, continue with the previous "
            "list and a link to the data: ln -s {} OLD_FOLDER",
            same,
            own.train_folder,
            own.train_folder);
}

} // namespace

void RunIdentity::check_same(const Json& checkpoint, const std::string& path)
    const {
  std::string differences;
  const Json own = to_json();
  for (const auto& [key, value] : own.items()) {
    const Json saved = checkpoint.value(key, value);
    VITRAIN_CHECK(
        value.is_string() ? saved.is_string() : saved.is_number_integer(),
        ExitCode::kWeights,
        "{}: 'state.identity.{}' is {}, not {}",
        path,
        key,
        saved.dump(),
        value.is_string() ? "a string" : "an integer");
    if (saved != value) {
      differences += fmt::format(
          "\n  {}: checkpoint {}, this run {}",
          key,
          saved.dump(),
          value.dump());
    }
  }
  VITRAIN_CHECK(
      differences.empty(),
      ExitCode::kUsage,
      "{} was made by a different run and cannot be continued:{}{}\nUse "
      "-pretrained to start a new run from its weights",
      path,
      differences,
      differences.empty()
          ? ""
          : explain_batch(*this, checkpoint) + explain_data(*this, checkpoint));
}

namespace {

// Returns the global batch sizes after the first stage: "48 from epoch 3, 24
// from epoch 5"; "" if the batch size does not change.
std::string batches_of(const config::Recipe& recipe, std::int64_t devices) {
  std::string text;
  for (const config::BatchStage& stage :
       config::batch_stages(recipe, devices)) {
    if (stage.first_epoch > 0) {
      text += fmt::format(
          "{}{} from epoch {}",
          text.empty() ? "" : ", ",
          stage.batch.global_batch,
          stage.first_epoch + 1);
    }
  }
  return text;
}

} // namespace

RunIdentity identity_of(
    const Job& job,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    const data::Index& train) {
  const bool grows = // the batch grows with the devices
      job.recipe.data.batch_mode == config::BatchMode::kPerDevice &&
      job.recipe.devices.nodes == 1;
  return {
      .model = spec.name,
      .network = spec.family->identity(spec) + job.recipe.model.lora.identity(),
      .num_classes = spec.num_classes,
      .optimizer = job.recipe.optim.identity(),
      .seed = job.recipe.run.seed,
      .global_batch = plan.global_batch,
      .train_samples = train.size(),
      .train_fingerprint = to_hex(train.fingerprint()),
      .sampler = name_of(job.recipe.data.sampler.policy),
      .train_labels = to_hex(train.label_fingerprint()),
      .train_folder = printable(train.absolute_folder()),
      .batches = batches_of(job.recipe, plan.devices()),
      .split = job.recipe.data.split.has_value(),
      .cuda = job.cuda,
      .devices = grows ? plan.devices() : 0};
}

} // namespace vitrain::job

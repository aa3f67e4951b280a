#include "engine/report/dry_run.h"

#include <algorithm>
#include <iterator>

#include "core/text.h"
#include "engine/eval/views.h"
#include "engine/report/describe.h"
#include "engine/report/memory_estimate.h"
#include "engine/state/pretrained.h"
#include "engine/state/teacher.h"
#include "engine/step/parameter_groups.h"
#include "engine/step/train_options.h"
#include "job/data_options.h"
#include "job/precision.h"
#include "launch/devices/memory.h"
#include "logging/banner.h"
#include "models/resolve.h"
#include "networks/cost.h"
#include "networks/tensors.h"
#include "optim/prune.h"

namespace vitrain::engine {
namespace {

// Throws the error about train.recompute that the first step would throw.
void check_blocks(
    const config::TrainConfig& train,
    const models::ModelSpec& spec) {
  const std::int64_t every = config::recompute_every(train.recompute);
  if (every > 0) {
    check_recompute(every, std::ssize(networks::cost_of(spec).blocks));
  }
}

// Throws the errors that Pruner's constructor would throw.
void check_pruning(
    const config::Recipe& recipe,
    const models::ModelSpec& spec) {
  const config::PruneConfig& prune = recipe.train.prune;
  if (!prune.active()) {
    return;
  }
  const std::vector<std::string> frozen =
      frozen_parameters(recipe.model, parameter_names(spec));
  const std::vector<networks::TensorInfo> tensors = networks::tensors_of(spec);
  optim::check_pruned(
      prune.match,
      std::ranges::any_of(tensors, [&](const networks::TensorInfo& tensor) {
        return tensor.kind == networks::TensorInfo::Kind::kParameter &&
            std::ranges::find(frozen, tensor.name) == frozen.end() &&
            optim::is_pruned(
                   prune.match, tensor.name, std::ssize(tensor.shape));
      }));
}

// Returns the lines about the run's own weights, and throws if they do not fit,
// as a run would.
std::vector<std::string> match_own_weights(
    const job::Job& job,
    const models::ModelSpec& spec) {
  if (!job.resume.empty()) {
    return match_checkpoint(spec, job.resume);
  }
  if (!job.recipe.model.pretrained) {
    return {};
  }
  return match_pretrained(spec, job.recipe.model, purpose_of(job));
}

// Returns the lines about the run's weights and about the teacher's.
std::vector<std::string> match_weights(
    const job::Job& job,
    const models::ModelSpec& spec) {
  std::vector<std::string> lines = match_own_weights(job, spec);
  if (job.mode == job::JobMode::kTrain) {
    const std::vector<std::string> of_teacher = match_teacher(job.recipe, spec);
    lines.insert(lines.end(), of_teacher.begin(), of_teacher.end());
  }
  return lines;
}

// Adds the sections of the banner and the warnings that only a dry run prints.
void add_sections(
    const job::PreparedJob& prepared,
    const RunFacts& facts,
    std::vector<logging::BannerSection>& sections,
    std::vector<std::string>& warnings) {
  const job::Job& job = prepared.job;
  // Throws the error of Evaluator if the views are impossible.
  with_room_for_views(
      job.recipe.eval.tta, job.recipe.data.preprocess, facts.spec);
  if (prepared.train) {
    check_blocks(job.recipe.train, facts.spec);
    check_pruning(job.recipe, facts.spec);
    sections.push_back(
        {{"groups",
          groups_text(
              summarize_groups(job.recipe, facts.spec), facts.plan.lr)}});
    warnings.push_back(idle_no_decay(
        job.recipe.optim, facts.spec, parameter_names(facts.spec)));
  }
  if (!job.cuda) {
    const MemoryEstimate memory = estimate_memory(
        job.recipe,
        facts.plan,
        facts.spec,
        facts.precision.precision == config::Precision::kBf16,
        prepared.train == nullptr);
    sections.push_back({{"memory", memory.text()}});
    const int here =
        job.single_process() ? 1 : static_cast<int>(job.ordinals.size());
    warnings.push_back(
        memory_warning(memory, here, launch::available_memory()));
  }
  std::erase(warnings, "");
}

} // namespace

std::string
dry_run(const job::PreparedJob& prepared, bool has_weights, int columns) {
  const job::Job& job = prepared.job;
  const int workers = prepared.workers;
  const config::Plan plan =
      job::plan_job(job, workers, prepared.samplers.get(), *prepared.eval);
  models::ModelSpec spec =
      models::resolve(job.recipe.model, job::data_shape(*prepared.eval));
  if (prepared.train) {
    spec.lora = job.recipe.model.lora;
  }
  job::Job shown = job;
  shown.run_directory = "(none: dry run)";
  const job::PrecisionChoice eval_precision =
      job::resolve_eval_precision(job.recipe, job::processors_of(job));
  const RunFacts facts{
      .job = shown,
      .plan = plan,
      .spec = spec,
      .parameters = networks::parameter_count(spec),
      .precision = prepared.train
          ? job::resolve_precision(
                job.recipe.train.precision, job::processors_of(job))
          : eval_precision,
      .eval_precision = eval_precision,
      .train = prepared.train.get(),
      .samplers = prepared.samplers.get(),
      .eval = prepared.eval.get(),
      .workers = job.single_process() ? 1 : workers};
  std::vector<logging::BannerSection> sections = describe_run(facts);
  std::vector<std::string> warnings;
  add_sections(prepared, facts, sections, warnings);
  std::string text =
      logging::banner(describe_title(facts), sections, {.columns = columns});
  for (const std::string& warning : warnings) {
    text += "warning: " + warning + "\n";
  }
  if (has_weights) {
    for (const std::string& line : match_weights(job, spec)) {
      text += line + "\n";
    }
  }
  return text;
}

} // namespace vitrain::engine

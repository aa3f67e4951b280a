// resolve_resume() and take_up_epoch() of launch_job.h: the checkpoint that
// -resume means, and the epoch that it is in.

#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/counted.h"
#include "core/text.h"
#include "engine/begun_epoch.h"
#include "engine/data_options.h"
#include "engine/launch_job.h"
#include "engine/pretrained.h"
#include "engine/resume.h"
#include "engine/run_directory.h"

namespace vitrain::engine {
namespace {

// The run that `-resume auto` means; none: a new one starts, and a note says
// so. Throws Error(kUsage) where there are only runs of other recipes.
std::optional<std::filesystem::path> resolve_auto(PreparedJob& prepared) {
  const Job& job = prepared.job;
  const std::string name = run_name(job.recipe, job.config_path);
  NewestRun newest = newest_run(job.recipe, name);
  VITRAIN_CHECK(
      newest.path || !newest.other,
      ExitCode::kUsage,
      "-resume auto: no run '{}' under {} has this recipe, and the newest, {}, "
      "differs:{}\nGo on with it and what differs by its path (-resume {}), or "
      "leave -resume out for a new run",
      name,
      printable(job.recipe.run.output),
      printable(newest.other.value_or("").native()),
      newest.reason,
      printable(newest.other.value_or("").native()));
  if (!newest.path) {
    prepared.notes.push_back(fmt::format(
        "-resume auto: no run '{}' with a checkpoint under {}, so a new one "
        "starts",
        name,
        printable(job.recipe.run.output)));
  }
  return newest.path;
}

// What the run will be trained with from here on.
void compare_recipes(PreparedJob& prepared) {
  const RunDirectory run{prepared.job.run_directory};
  const std::string name = printable(run.config().native());
  try {
    prepared.changes = changes_to(run, prepared.job.recipe);
  } catch (const Error& error) {
    prepared.notes.push_back(fmt::format(
        "warning: -resume: what has changed since is not known, because the "
        "run's recipe cannot be read: {}",
        error.what()));
  }
  if (!prepared.changes.empty()) {
    prepared.notes.push_back(fmt::format(
        "-resume: this recipe differs from {}, and holds from here on:{}",
        name,
        listed(prepared.changes)));
  }
}

} // namespace

void resolve_resume(PreparedJob& prepared, const std::string& resume) {
  Job& job = prepared.job;
  std::filesystem::path path = resume;
  if (resume == "auto") {
    const auto run = resolve_auto(prepared);
    if (!run) {
      return;
    }
    path = *run;
  }
  const std::filesystem::path folder = find_checkpoint(path, /*best=*/false);
  VITRAIN_CHECK(
      folder.parent_path().filename() == "checkpoints",
      ExitCode::kUsage,
      "-resume {}: a run goes on in its own folder, and this checkpoint is in "
      "none (<run>/checkpoints/step-...). -pretrained starts a new run from "
      "its weights",
      printable(folder.native()));
  job.resume = folder.native();
  job.resumed_step = checkpoint::read_manifest(folder).step;
  // <run>/checkpoints/step-...: the run goes on where it was.
  job.run_directory = folder.parent_path().parent_path().native();
  compare_recipes(prepared);
}

void take_up_epoch(PreparedJob& prepared) {
  const Job& job = prepared.job;
  const auto begun = begun_epoch(
      checkpoint::read_manifest(job.resume), job.recipe.train.accumulate);
  prepared.sampler =
      make_sampler(job.recipe, prepared.train.get(), prepared.workers, begun);
  if (const auto epoch = prepared.sampler->begun_epoch()) {
    prepared.notes.push_back(fmt::format(
        "-resume: epoch {} was begun by {}, whose order of the samples it "
        "keeps; those after it have that of {}",
        *epoch + 1,
        counted(prepared.sampler->geometry_of(*epoch).world, "worker"),
        counted(prepared.sampler->geometry_of(*epoch + 1).world, "worker")));
  }
}

} // namespace vitrain::engine

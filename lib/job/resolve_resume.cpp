// Implements resolve_resume() and continue_epoch() of prepared_job.h.

#include <utility>

#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/text.h"
#include "job/data_options.h"
#include "job/find_weights.h"
#include "job/prepared_job.h"
#include "job/run/enclosing_run.h"
#include "job/run/mirror.h"
#include "job/run/partial_epoch.h"
#include "job/run/resume.h"
#include "job/run/resume_advice.h"
#include "job/run/run_directory.h"
#include "logging/stream_output.h"

namespace vitrain::job {
namespace {

// Returns the newest run of this recipe in checkpoint.mirror that has
// checkpoints, if the run in `newest` has none; otherwise nullopt.
std::optional<RunDirectory> newest_lost_run(
    const PreparedJob& prepared,
    const std::string& name,
    const NewestRun& newest) {
  config::Recipe recipe = prepared.job.recipe;
  if (!recipe.checkpoint.mirror ||
      (newest.path && has_checkpoints({*newest.path}))) {
    return std::nullopt;
  }
  recipe.run.output = *recipe.checkpoint.mirror;
  const auto path = newest_run(recipe, name, prepared.origins).path;
  return path && has_checkpoints({*path}) ? std::optional(RunDirectory{*path})
                                          : std::nullopt;
}

// Returns the run that `-resume auto` continues; nullopt, with a note, if a new
// one starts. Throws Error(kUsage) if runs with checkpoints exist, but all of
// other recipes.
std::optional<std::filesystem::path> resolve_auto(
    PreparedJob& prepared,
    bool writes) {
  const Job& job = prepared.job;
  // The config.yaml of a run means that run, unless it was only an evaluation.
  auto own = run_of_config(job.config_path);
  if (own &&
      (has_checkpoints({*own}) ||
       own->filename().native().find("-eval-") == std::string::npos)) {
    return own;
  }
  const std::string name = run_name(job.recipe, job.config_path);
  NewestRun newest = newest_run(job.recipe, name, prepared.origins);
  if (const auto lost = newest_lost_run(prepared, name, newest)) {
    const RunDirectory run{
        absolute_path(job.recipe.run.output) / lost->path.filename()};
    prepared.notes.push_back(fmt::format(
        "-resume auto: {} has checkpoints in checkpoint.mirror only: {}",
        printable(run.path.native()),
        printable(lost->path.native())));
    if (!writes) {
      return lost->path;
    }
    copy_config(*lost, run);
    return run.path;
  }
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

// Returns the run folder of a path, as enclosing_run(); also a folder with a
// config.yaml but without checkpoints. nullopt for other paths.
std::optional<RunDirectory> run_at(const std::filesystem::path& path) {
  std::error_code error;
  auto run = enclosing_run(path);
  if (!run && std::filesystem::exists(RunDirectory{path}.config(), error)) {
    run = RunDirectory{absolute_path(path)}; // before its first checkpoint
  }
  return run;
}

void add_from_mirror(PreparedJob& prepared, const RunDirectory& run) {
  const std::string note = restore_newest(prepared.job.recipe, run);
  if (!note.empty()) {
    prepared.notes.push_back(note);
  }
}

// Adopts the values of weights from the recipe of the run to resume, then
// compares the recipes: sets prepared.changes, and adds notes.
void compare_recipes(PreparedJob& prepared) {
  const RunDirectory run{prepared.job.run_directory};
  const std::string name = printable(run.config().native());
  try {
    adopt_values_of_weights(run, prepared.job.recipe, prepared.origins);
    prepared.changes = changes_to(run, prepared.job.recipe, prepared.origins);
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

// Starts a run that ended before its first checkpoint again, in its folder.
void begin_again(PreparedJob& prepared, const RunDirectory& run) {
  prepared.job.run_directory = run.path.native();
  prepared.notes.push_back(fmt::format(
      "-resume auto: {} ended before its first checkpoint, and begins again in "
      "its folder",
      printable(run.path.native())));
  compare_recipes(prepared);
}

} // namespace

void lock_run(PreparedJob& prepared, const RunDirectory& run) {
  LockOptions options{.take_over = prepared.take_over};
  options.notice = [](const std::string& line) {
    logging::standard_error().write(line + "\n");
  };
  prepared.lock = std::make_unique<LockFile>(run.lock(), std::move(options));
  prepared.job.lock = prepared.lock->nonce();
  if (const auto& before = prepared.lock->taken_over()) {
    prepared.notes.push_back(fmt::format(
        "{}: taken over from {}, {}",
        printable(run.lock().native()),
        before->text(),
        prepared.lock->reason()));
  }
  check_writable(run);
  // A request to an earlier process. From here on, the file is for this one.
  std::error_code ignored;
  std::filesystem::remove(run.stop(), ignored);
}

void resolve_resume(
    PreparedJob& prepared,
    const std::string& resume,
    bool writes) {
  Job& job = prepared.job;
  std::filesystem::path path = resume;
  if (resume == "auto") {
    const auto run = resolve_auto(prepared, writes);
    if (!run) {
      return;
    }
    path = *run;
  }
  VITRAIN_CHECK(
      resume == "auto" || !is_no_run(path),
      ExitCode::kWeights,
      "-resume {}: {}",
      printable(path.native()),
      describe_no_run(path));
  // Locks before reading: another process may be writing to the run.
  const auto run =
      resume == "auto" ? std::optional(RunDirectory{path}) : run_at(path);
  if (writes && run) {
    lock_run(prepared, *run);
    if (resume == "auto") {
      add_from_mirror(prepared, *run);
    }
  }
  if (resume == "auto" && !has_checkpoints(*run)) {
    begin_again(prepared, *run);
    return;
  }
  VITRAIN_CHECK(
      !run || has_checkpoints(*run),
      ExitCode::kWeights,
      "-resume {}: the run ended before its first checkpoint. To start it "
      "again in its folder: vitrain -cfg {} -resume auto",
      printable(path.native()),
      printable(run->config().native()));
  std::vector<std::string> rejected;
  const std::filesystem::path folder =
      find_checkpoint(path, /*best=*/false, &rejected);
  for (const std::string& reason : rejected) {
    prepared.notes.push_back(
        fmt::format("warning: -resume: passed over {}", reason));
  }
  VITRAIN_CHECK(
      folder.parent_path().filename() == "checkpoints",
      ExitCode::kUsage,
      "-resume {}: a run goes on in its own folder, and this checkpoint is in "
      "none (<run>/checkpoints/step-...). -pretrained starts a new run from "
      "its weights",
      printable(folder.native()));
  job.resume = folder.native();
  job.resumed_step = checkpoint::read_manifest(folder).step;
  // The folder is <run>/checkpoints/step-...; the run resumes in <run>.
  job.run_directory = folder.parent_path().parent_path().native();
  compare_recipes(prepared);
}

void continue_epoch(PreparedJob& prepared, const config::Timeline& timeline) {
  const Job& job = prepared.job;
  const auto begun = partial_epoch(
      checkpoint::read_manifest(job.resume),
      timeline,
      job.recipe.train.accumulate);
  if (!begun) {
    return;
  }
  prepared.samplers =
      make_samplers(job.recipe, prepared.train.get(), prepared.workers, begun);
  const data::Sampler& sampler = prepared.samplers->of_epoch(begun->epoch);
  if (const auto epoch = sampler.partial_epoch()) {
    prepared.notes.push_back(fmt::format(
        "-resume: epoch {} was begun by {}, whose order of the samples it "
        "keeps; those after it have that of {}",
        *epoch + 1,
        counted(sampler.geometry_of(*epoch).world, "worker"),
        counted(sampler.geometry_of(*epoch + 1).world, "worker")));
  }
}

} // namespace vitrain::job

#include "job/prepare/prepared_job.h"

#include "checkpoint/manifest.h"
#include "config/rules/plan_notes.h"
#include "config/rules/validate.h"
#include "core/check.h"
#include "core/files/files.h"
#include "core/text/text.h"
#include "job/options/data_options.h"
#include "job/options/precision.h"
#include "job/prepare/choose_devices.h"
#include "job/prepare/find_weights.h"
#include "job/prepare/recipe_check.h"
#include "job/prepare/teacher_weights.h"
#include "job/run/resume.h"
#include "job/run/run_directory.h"
#include "job/run/run_state.h"
#include "job/run/saved_state.h"
#include "models/rules.h"
#include "models/spec.h"
#include "models/teacher.h"

namespace vitrain::job {
void check_recipe(const PreparedJob& prepared, std::int64_t workers) {
  const Job& job = prepared.job;
  check_rules(
      job.recipe,
      prepared.origins,
      {.workers = workers,
       .cuda = job.cuda,
       .training = job.mode == JobMode::kTrain},
      prepared.problems);
}

namespace {

// Of the weights that are evaluated or started from, and of a teacher's.
void check_learned_classes(
    PreparedJob& prepared,
    const models::ModelSpec& spec) {
  const config::Recipe& recipe = prepared.job.recipe;
  if (!prepared.train) {
    if (prepared.record && recipe.eval.check_classes) {
      check_classes(*prepared.record, prepared.eval->classes());
    }
    return;
  }
  const std::vector<std::string>& classes = prepared.train->classes();
  if (prepared.record) {
    const std::string warning =
        class_warning(*prepared.record, recipe.model, classes);
    if (!warning.empty()) {
      prepared.notes.push_back(warning);
    }
  }
  if (recipe.train.distill.active()) {
    models::resolve_teacher(recipe, spec);
    config::Recipe asked = recipe;
    if (!prepared.job.resume.empty()) {
      asked.eval.check_classes = false; // it goes on as it was begun
    }
    for (std::string& note : check_teacher(asked, prepared.origins, classes)) {
      prepared.notes.push_back(std::move(note));
    }
  }
}

} // namespace

// Problems that only the numbers of samples and classes show.
void check_arithmetic(PreparedJob& prepared) {
  Job& job = prepared.job;
  const models::DataShape shape = data_shape(*prepared.eval);
  check_network(job.recipe, prepared.origins, shape);
  const models::ModelSpec spec = models::resolve(job.recipe.model, shape);
  check_learned_classes(prepared, spec);
  if (std::string note = models::unused_outputs(job.recipe.model, shape);
      !note.empty()) {
    prepared.notes.push_back(std::move(note));
  }
  if (prepared.train) {
    resolve_precision(job.recipe.train.precision, processors_of(job));
  }
  resolve_eval_precision(job.recipe, processors_of(job));
  prepared.samplers =
      make_samplers(job.recipe, prepared.train.get(), prepared.workers);
  const config::Plan plan =
      make_plan(job, prepared.workers, prepared.samplers.get(), *prepared.eval);
  if (job.mode == JobMode::kTrain && !job.resume.empty()) {
    const std::string name = printable(job.resume);
    const SavedState saved =
        read_saved_state(checkpoint::read_manifest(job.resume).state, name);
    identity_of(job, plan, spec, *prepared.train)
        .check_same(saved.identity, name);
    continue_epoch(prepared, plan.timeline);
    prepared.finished =
        job.resumed_step >= plan.total_steps && !saved.owes_evaluation;
    VITRAIN_CHECK(
        !prepared.finished || same_recipe(prepared.changes),
        ExitCode::kUsage,
        "{} has {} steps, and this recipe asks for {}: nothing would be "
        "trained with what differs from its config.yaml:{}\nTrain longer "
        "(run.epochs, run.max_steps), or leave -resume out for a new run",
        printable(job.run_directory),
        with_commas(job.resumed_step),
        with_commas(plan.total_steps),
        listed(prepared.changes));
  }
  if (job.mode == JobMode::kTrain) {
    for (std::string& note : config::plan_notes(job.recipe, plan)) {
      prepared.notes.push_back(std::move(note));
    }
  }
}

void make_run_directory(PreparedJob& prepared) {
  Job& job = prepared.job;
  const bool trains = job.mode == JobMode::kTrain;
  const std::string name = run_name(job.recipe, job.config_path);
  const RunDirectory run =
      create_run_directory(job.recipe, trains ? name : name + "-eval");
  job.run_directory = run.path.native();
  if (trains) {
    lock_run(prepared, run);
  }
}

void write_held_out(const PreparedJob& prepared) {
  if (!prepared.held_out.empty()) {
    write_file_atomically(prepared.job.run().held_out(), prepared.held_out);
  }
}

PreparedJob begin_job(const Request& request) {
  PreparedJob prepared;
  Job& job = prepared.job;
  config::Problems& problems = prepared.problems;
  config::Reading loaded = load_recipe(request.recipe, problems);
  const bool evaluates = request.mode == JobMode::kEval;
  if (!problems.empty() ||
      (evaluates && !loaded.recipe.model.pretrained.has_value())) {
    check_rules(
        loaded.recipe,
        loaded.origins,
        circumstances_here(loaded, !evaluates),
        problems);
    problems.throw_if_any();
  }
  job.recipe = std::move(loaded.recipe);
  prepared.origins = std::move(loaded.origins);
  job.mode = request.mode;
  prepared.take_over = request.take_over;
  job.config_path = request.recipe.file.value_or("").native();
  job.command_line = request.command_line;
  prepared.worker_program = request.worker_program;
  job.version = request.version;
  job.process_start = process_start_seconds();
  prepared.notes = request.notes;
  prepared.notes.insert(
      prepared.notes.end(), loaded.notes.begin(), loaded.notes.end());
  if (job.recipe.model.pretrained && !request.resume) {
    job.recipe.model.pretrained = resolve_weights(*job.recipe.model.pretrained);
    prepared.record =
        use_record(evaluates, job.recipe, prepared.origins, prepared.notes);
  }
  return prepared;
}

namespace {

// Everything after the machines have met.
void check_job(PreparedJob& prepared, const Request& request) {
  check_recipe(prepared, prepared.workers);
  // Before there is a run folder.
  if (!request.resume && !request.dry_run && prepared.decides()) {
    check_exists(prepared.job.recipe.model.pretrained);
  }
  if (!request.resume && !request.dry_run && prepared.decides() &&
      prepared.job.mode == JobMode::kTrain) {
    check_exists(
        teacher_weights(prepared.job.recipe.train.distill).pretrained,
        kTeacherPretrained);
  }
  list_data(prepared);
  // Of several machines the first one decides, and tells the others.
  if (request.resume && prepared.decides()) {
    resolve_resume(prepared, *request.resume, !request.dry_run);
  }
  check_arithmetic(prepared);
}

// Throws, when the recipe has problems of its own, an error with them and this
// one.
void tell_with_the_rest(const PreparedJob& prepared, const Error& error) {
  if (error.code() != ExitCode::kUsage || prepared.link) {
    return;
  }
  try {
    check_rules(
        prepared.job.recipe,
        prepared.origins,
        {.workers = config::kWorkersUnknown,
         .cuda = prepared.job.recipe.devices.kind != DeviceKind::kCpu,
         .training = prepared.job.mode == JobMode::kTrain},
        prepared.problems);
  } catch (const Error& others) {
    fail(ExitCode::kUsage, "{}\n{}", error.what(), others.what());
  }
}

} // namespace

PreparedJob prepare(const Request& request) {
  PreparedJob prepared = begin_job(request);
  try {
    try {
      choose_devices(prepared, request);
    } catch (const Error& error) {
      tell_with_the_rest(prepared, error);
      throw;
    }
    check_job(prepared, request);
  } catch (const std::exception& error) {
    if (prepared.link) {
      prepared.link->fail_all(
          static_cast<int>(exit_code_of(error)), error.what());
    }
    throw;
  }
  return prepared;
}

} // namespace vitrain::job

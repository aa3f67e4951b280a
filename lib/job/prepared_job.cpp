#include "job/prepared_job.h"

#include "checkpoint/manifest.h"
#include "config/rules/plan_notes.h"
#include "config/rules/validate.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/list_columns.h"
#include "data/sources/class_names.h"
#include "job/data_options.h"
#include "job/failures.h"
#include "job/find_weights.h"
#include "job/precision.h"
#include "job/recipe_check.h"
#include "job/resolve_devices.h"
#include "job/run/leftovers.h"
#include "job/run/resume.h"
#include "job/run/run_directory.h"
#include "job/run/run_state.h"
#include "job/run/saved_state.h"
#include "job/teacher_weights.h"
#include "models/resolve.h"
#include "models/rules.h"
#include "models/teacher.h"
#include "weights/archive.h"

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

void add_note(const std::string& note, PreparedJob& prepared) {
  if (!note.empty()) {
    prepared.notes.push_back(note);
  }
}

// Returns a warning if labels of the evaluation data are numbers, but could be
// the names that the weights' classes have; otherwise "".
std::string label_form_warning(
    const PreprocessRecord& record,
    const config::SourceConfig& source,
    const data::Index& index) {
  const bool may_have_names = source.kind == config::SourceKind::kTar ||
      (source.kind == config::SourceKind::kList &&
       data::is_csv(source.path.value_or("")));
  if (!may_have_names || index.label_form() != data::LabelForm::kNumbers ||
      record.labels == data::LabelForm::kNumbers ||
      !data::are_numbers(index.classes()) ||
      !data::have_numeric_names(record.classes)) {
    return "";
  }
  return fmt::format(
      "warning: labels of data.eval are read as numbers from 0, but {} has "
      "classes whose names look like numbers ('{}' is class 0): if the labels "
      "are names, list all names in data.eval.class_map",
      record.source,
      printable(record.classes.front()));
}

// Compares the classes of data.eval with those of the weights: throws
// Error(kData) if they differ, but not for published weights with another
// number of classes if model.num_classes is set. Adds notes. Does nothing
// without a record or with eval.check_classes: false.
void check_evaluated_classes(PreparedJob& prepared) {
  const config::Recipe& recipe = prepared.job.recipe;
  if (!prepared.record || !recipe.eval.check_classes) {
    return;
  }
  const PreprocessRecord& record = *prepared.record;
  const std::vector<std::string>& classes = prepared.eval->classes();
  if (!record.published || !recipe.model.num_classes ||
      classes.size() == record.classes.size()) {
    check_classes(record, classes);
  }
  add_note(class_note(record, "data.eval", classes), prepared);
  add_note(
      label_form_warning(record, recipe.data.eval, *prepared.eval), prepared);
}

// Compares the classes of the data with those of evaluated weights and of a
// teacher, which must be equal (eval.check_classes), and with those of initial
// weights, which may differ (adds a warning).
void check_learned_classes(
    PreparedJob& prepared,
    const models::ModelSpec& spec) {
  const config::Recipe& recipe = prepared.job.recipe;
  if (!prepared.train) {
    check_evaluated_classes(prepared);
    return;
  }
  const std::vector<std::string>& classes = prepared.train->classes();
  if (prepared.record) {
    const std::string warning =
        class_warning(*prepared.record, recipe.model, classes);
    add_note(warning, prepared);
    if (recipe.model.head_init != config::HeadInit::kFresh) {
      add_note(class_note(*prepared.record, "data.train", classes), prepared);
    }
  }
  if (recipe.train.distill.active()) {
    models::resolve_teacher(recipe, spec);
    config::Recipe asked = recipe;
    if (!prepared.job.resume.empty()) {
      asked.eval.check_classes = false; // a resumed run keeps its classes
    }
    for (std::string& note : check_teacher(asked, prepared.origins, classes)) {
      prepared.notes.push_back(std::move(note));
    }
  }
}

} // namespace

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
      plan_job(job, prepared.workers, prepared.samplers.get(), *prepared.eval);
  if (job.mode == JobMode::kTrain && !job.resume.empty()) {
    const std::string name = printable(job.resume);
    const SavedState saved =
        read_saved_state(checkpoint::read_manifest(job.resume).state, name);
    identity_of(job, plan, spec, *prepared.train)
        .check_same(saved.identity, name);
    continue_epoch(prepared, plan.timeline);
    const bool has_all_steps =
        job.resumed_step >= plan.total_steps && !saved.owes_evaluation;
    prepared.finished = has_all_steps && is_recorded_as_done(job.run());
    VITRAIN_CHECK(
        !has_all_steps || same_recipe(prepared.changes),
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

namespace {

// Returns the keys that a record of weights could set, but that the user has
// set.
std::vector<std::string> keys_of_weights_in(const config::Origins& origins) {
  std::vector<std::string> keys;
  for (const auto& [key, position] : origins) {
    const bool theirs = key.starts_with("data.preprocess.") ||
        key == "model.image_size" || key == "model.name";
    if (theirs && position.origin != config::Origin::kDefault) {
      keys.push_back(key);
    }
  }
  return keys;
}

} // namespace

PreparedJob begin_job(const Request& request) {
  PreparedJob prepared;
  Job& job = prepared.job;
  config::Problems& problems = prepared.problems;
  config::PartialRecipe loaded = load_recipe(request.recipe, problems);
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
  job.joining.own_keys = keys_of_weights_in(prepared.origins);
  return prepared;
}

void find_pretrained(PreparedJob& prepared, bool resumes) {
  Job& job = prepared.job;
  if (job.recipe.model.pretrained && !resumes) {
    job.recipe.model.pretrained = resolve_weights(*job.recipe.model.pretrained);
    prepared.record = use_record(
        job.mode == JobMode::kEval,
        job.recipe,
        prepared.origins,
        prepared.notes);
  }
}

namespace {

// Opens the weights, unless they are a checkpoint, and checks what needs no
// network. Throws Error(kWeights).
void open_weights(const config::ModelConfig& model) {
  check_exists(model.pretrained);
  if (model.pretrained && !is_checkpoint_path(*model.pretrained)) {
    weights::open_archive(*model.pretrained, model.pretrained_part);
  }
}

// Checks weights and data; throws the errors of both as one.
void check_weights_and_data(
    PreparedJob& prepared,
    const Request& request,
    Failures& failures) {
  const config::Recipe& recipe = prepared.job.recipe;
  // Checked before a run folder is created.
  const bool starts = !request.resume && !request.dry_run && prepared.decides();
  if (starts && failures.empty()) {
    failures.attempt([&] { check_exists(recipe.model.pretrained); });
  }
  if (starts && prepared.job.mode == JobMode::kTrain) {
    failures.attempt([&] {
      check_exists(
          teacher_weights(recipe.train.distill).pretrained, kTeacherPretrained);
    });
  }
  const bool weights_fail = !failures.empty();
  const bool data_fail = !failures.attempt([&] { list_data(prepared); });
  if (data_fail && !weights_fail && !request.resume && prepared.decides()) {
    failures.attempt([&] { open_weights(recipe.model); });
  }
  failures.throw_if_any();
}

// Checks recipe, weights, data and the checkpoint to resume, after the
// connection to the other machines. Throws Error at the first of these that
// fails; errors of weights and data as one, with those already in `failures`.
void check_job(
    PreparedJob& prepared,
    const Request& request,
    Failures& failures) {
  check_recipe(prepared, prepared.workers);
  check_weights_and_data(prepared, request, failures);
  // With several machines, node 0 decides, and later sends its decision to the
  // other machines.
  if (request.resume && prepared.decides()) {
    resolve_resume(prepared, *request.resume, !request.dry_run);
  }
  check_arithmetic(prepared);
}

// If `error` is of kUsage and the recipe breaks rules, too, throws
// Error(kUsage) with both; otherwise, or once other machines are connected,
// returns.
void append_rule_errors(const PreparedJob& prepared, const Error& error) {
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

void check_tasks(const PreparedJob& prepared) {
  const Job& job = prepared.job;
  launch::check_tasks(
      launch::Cgroup(),
      job.single_process() ? 1 : prepared.workers,
      {.compute = job.threads,
       .loading = static_cast<int>(job.recipe.data.threads.value_or(1))});
}

} // namespace

PreparedJob prepare(const Request& request) {
  PreparedJob prepared = begin_job(request);
  Failures failures; // errors of the weights, thrown with those of the data
  failures.attempt(
      [&] { find_pretrained(prepared, request.resume.has_value()); });
  try {
    try {
      resolve_devices(prepared, request);
      check_tasks(prepared);
    } catch (const Error& error) {
      append_rule_errors(prepared, error);
      throw;
    }
    check_job(prepared, request, failures);
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

#include "engine/job/launch_job.h"

#include <cstdio>

#include "checkpoint/manifest.h"
#include "config/rules/plan_notes.h"
#include "config/rules/validate.h"
#include "config/schema/preprocess_values.h"
#include "core/check.h"
#include "core/text.h"
#include "engine/inputs/data_options.h"
#include "engine/job/describe.h"
#include "engine/job/owed_evaluation.h"
#include "engine/job/pretrained.h"
#include "engine/job/recipe_check.h"
#include "engine/job/resume.h"
#include "engine/run/precision.h"
#include "engine/run/run_directory.h"
#include "engine/run/run_state.h"
#include "engine/run/saved_state.h"
#include "launch/devices/cores.h"
#include "launch/devices/memory.h"
#include "launch/foreign/environment.h"
#include "launch/nodes/rendezvous.h"
#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::engine {
namespace {

constexpr const char* kNodes = "devices.nodes";

std::vector<std::string> labels_of(
    const std::vector<launch::DeviceSlot>& devices) {
  std::vector<std::string> labels;
  for (const launch::DeviceSlot& device : devices) {
    labels.push_back(device.label());
  }
  return labels;
}

// Finds the other machines of the run; with -dry_run, takes them to be like
// this one.
void meet_nodes(PreparedJob& prepared, const config::Arguments& arguments) {
  Job& job = prepared.job;
  const auto nodes = static_cast<int>(job.recipe.devices.nodes);
  const config::LaunchArguments& launch = arguments.launch;
  if (arguments.dry_run) {
    prepared.workers *= nodes;
    job.device_text =
        fmt::format("{} machines, each with {}", nodes, job.device_text);
    return;
  }
  VITRAIN_CHECK(
      launch.node_rank.has_value() && launch.master.has_value(),
      ExitCode::kUsage,
      "{} machines (devices.nodes): give each of them its own -node_rank, 0 to "
      "{}, and all of them -master HOST:PORT with an address of machine 0 and "
      "a free port there (-hosts H1:N,H2:N prints the commands)",
      nodes,
      nodes - 1);
  VITRAIN_CHECK(
      *launch.node_rank < nodes,
      ExitCode::kUsage,
      "-node_rank {}: with {} machines it is 0 to {}",
      *launch.node_rank,
      nodes,
      nodes - 1);
  const launch::HostPort master =
      launch::parse_host_port(*launch.master, "-master");
  // Whatever is wrong already need not wait for the other machines.
  check_recipe(prepared, config::kWorkersUnknown);
  prepared.link = std::make_unique<launch::NodeLink>(launch::NodeRequest{
      .nodes = nodes,
      .node_rank = static_cast<int>(*launch.node_rank),
      .master = master,
      .workers = prepared.workers,
      .devices = job.device_text,
      .timeout = job.recipe.dist.timeouts.setup,
      .notice = [](const std::string& line) {
        std::fprintf(stderr, "%s\n", line.c_str());
      }});
  prepared.workers = prepared.link->world_size();
  for (const launch::Node& node : prepared.link->nodes()) {
    VITRAIN_CHECK(
        node.workers == std::ssize(prepared.devices) ||
            !needs_equal_machines(job.recipe),
        ExitCode::kUsage,
        "dist.sync.group_size: auto is the number of workers of a machine: {} "
        "here and {} on another; set a number",
        prepared.devices.size(),
        node.workers);
  }
  std::vector<std::string> texts;
  for (int node = 0; node < nodes; ++node) {
    texts.push_back(fmt::format(
        "{}: {}",
        prepared.link->name_of(node),
        prepared.link->nodes()[static_cast<std::size_t>(node)].devices));
  }
  job.device_text = join(texts, "; ");
}

void choose_devices(PreparedJob& prepared, const config::Arguments& arguments) {
  Job& job = prepared.job;
  const launch::Environment user = launch::current_environment();
  prepared.cores = launch::available_cores();
  prepared.devices = launch::choose_devices(
      device_request(job.recipe.devices),
      launch::visible_cuda_devices(),
      prepared.cores);
  const int devices = static_cast<int>(prepared.devices.size());
  const int workers = job.single_process() ? 1 : devices;
  job.cuda = prepared.devices.front().kind == DeviceKind::kCuda;
  for (const launch::DeviceSlot& device : prepared.devices) {
    job.ordinals.push_back(device.ordinal);
  }
  job.threads = launch::worker_threads(user, prepared.cores, devices);
  job.cores_per_worker = std::max(1, prepared.cores / workers);
  prepared.workers = devices;
  job.device_text = describe_devices(
      labels_of(prepared.devices),
      job.cuda,
      job.threads,
      job.single_process() ? "replica" : "worker");
  const auto small_memory = launch::shared_memory_warning(workers);
  if (small_memory && job.uses_nccl()) {
    prepared.notes.push_back("warning: " + *small_memory);
  }
  if (job.recipe.devices.nodes > 1) {
    meet_nodes(prepared, arguments);
  } else {
    VITRAIN_CHECK(
        arguments.launch.node_rank.value_or(0) == 0,
        ExitCode::kUsage,
        "-node_rank {}: the run has one machine; give -nnodes N "
        "(devices.nodes) "
        "as well",
        *arguments.launch.node_rank);
    VITRAIN_CHECK(
        !arguments.launch.master || prepared.origins.contains(kNodes),
        ExitCode::kUsage,
        "-master {}: the run has one machine; give -nnodes N (devices.nodes) "
        "and -node_rank R as well",
        printable(*arguments.launch.master));
  }
  for (const std::string& warning :
       launch::environment_warnings(user, prepared.cores, devices)) {
    prepared.notes.push_back("warning: " + warning);
  }
}

// Lists one of the datasets. Labels that are numbers do not say how many
// classes there are: `classes` does, or with 0 the largest one.
std::unique_ptr<data::Index> list_source(
    const config::SourceConfig& source,
    bool train,
    std::int64_t classes) {
  data::SourceOptions options = source_options(source, train);
  if (options.kind != SourceKind::kRandom) {
    options.classes = classes;
  }
  return std::make_unique<data::Index>(data::list(options));
}

} // namespace

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

std::string describe_devices(
    const std::vector<std::string>& labels,
    bool cuda,
    int threads,
    std::string_view noun) {
  if (cuda) {
    return join(labels, ", ");
  }
  return fmt::format(
      "{} CPU {}{} with {} thread{} each",
      labels.size(),
      noun,
      labels.size() == 1 ? "" : "s",
      threads,
      threads == 1 ? "" : "s");
}

void list_data(PreparedJob& prepared) {
  const Job& job = prepared.job;
  const config::DataConfig& data = job.recipe.data;
  const bool evaluates = job.mode == JobMode::kEval;
  std::int64_t classes = job.recipe.model.num_classes.value_or(
      evaluates && prepared.record ? std::ssize(prepared.record->classes) : 0);
  std::optional<Error> failure;
  const auto attempt = [&](const auto& list) {
    try {
      list();
    } catch (const Error& error) { // what is wrong with both is told at once
      failure.emplace(
          failure ? failure->code() : error.code(),
          failure ? fmt::format("{}\n{}", failure->what(), error.what())
                  : error.what());
    }
  };
  if (job.mode == JobMode::kTrain) {
    attempt([&] {
      prepared.train = list_source(data.train, /*train=*/true, classes);
      data::check_for_training(*prepared.train);
      classes = std::ssize(prepared.train->classes());
    });
  }
  attempt([&] {
    prepared.eval = list_source(data.eval, /*train=*/false, classes);
  });
  if (failure) {
    throw *failure;
  }
  if (prepared.train) {
    data::check_same_classes(*prepared.train, *prepared.eval);
  }
}

// Problems that only the numbers of samples and classes show.
void check_arithmetic(PreparedJob& prepared) {
  Job& job = prepared.job;
  const models::DataShape shape = data_shape(*prepared.eval);
  check_network(job.recipe, prepared.origins, shape);
  const models::ModelSpec spec = models::resolve(job.recipe.model, shape);
  if (prepared.record && !prepared.train && job.recipe.eval.check_classes) {
    check_classes(*prepared.record, prepared.eval->classes());
  }
  if (prepared.record && prepared.train) {
    const std::string warning = class_warning(
        *prepared.record, job.recipe.model, prepared.train->classes());
    if (!warning.empty()) {
      prepared.notes.push_back(warning);
    }
  }
  if (prepared.train) {
    resolve_precision(job.recipe.train.precision, job.cuda, cpu_features());
  }
  resolve_eval_precision(job.recipe, job.cuda, cpu_features());
  prepared.sampler =
      make_sampler(job.recipe, prepared.train.get(), prepared.workers);
  const config::Plan plan =
      make_plan(job, prepared.workers, prepared.sampler.get(), *prepared.eval);
  if (job.mode == JobMode::kTrain && !job.resume.empty()) {
    const std::string name = printable(job.resume);
    const Json state = checkpoint::read_manifest(job.resume).state;
    identity_of(job, plan, spec, *prepared.train)
        .check_same(read_saved_state(state, name).identity, name);
    continue_epoch(prepared);
    prepared.finished = job.resumed_step >= plan.total_steps &&
        state.value(kOwesEvaluation, Json(false)) != true;
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

bool needs_equal_machines(const config::Recipe& recipe) {
  return recipe.dist.sync.mode == config::SyncMode::kPostLocalSgd &&
      !recipe.dist.sync.group_size;
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

launch::DeviceRequest device_request(const config::DevicesConfig& devices) {
  return {.kind = devices.kind, .count = devices.count, .ids = devices.ids};
}

launch::OpenFiles open_files(const Job& job, int devices) {
  const config::SyncConfig& sync = job.recipe.dist.sync;
  return {
      .workers = job.single_process() ? 1 : devices,
      .servers = sync.mode == config::SyncMode::kAsyncPs,
      .blocks = sync.traits().groups_ranks};
}

namespace {

constexpr const char* kImageSize = "model.image_size";

// Weights bring with them how images were made into their inputs: an evaluation
// does the same where nobody says otherwise, training from them says what it
// does differently.
void use_record(PreparedJob& prepared) {
  Job& job = prepared.job;
  const bool evaluates = job.mode == JobMode::kEval;
  config::ModelConfig model = job.recipe.model;
  std::optional<PreprocessRecord> record = pretrained_record(model);
  if (!record) {
    return;
  }
  const auto named = models::find_model(model.name);
  const bool as_named = !model.image_size && named &&
      record->values.value(kImageSize, Json()) == named->image_size;
  if (as_named || !evaluates) { // resized position embeddings are reported
    record->values.erase(kImageSize);
  }
  const std::vector<std::string> notes = config::use_preprocess_values(
      record->values,
      record->source,
      evaluates ? config::PreprocessUse::kAdopt
                : config::PreprocessUse::kCompare,
      job.recipe,
      prepared.origins);
  prepared.notes.insert(prepared.notes.end(), notes.begin(), notes.end());
  if (evaluates) {
    job.recipe.model.pretrained = model.pretrained;
  }
  prepared.record = std::move(record);
}

} // namespace

PreparedJob begin_job(
    const config::Arguments& arguments,
    const std::string& command_line,
    const std::string& version) {
  PreparedJob prepared;
  Job& job = prepared.job;
  config::Problems& problems = prepared.problems;
  config::Reading loaded = load_recipe(arguments.load_request(), problems);
  const bool evaluates = arguments.verb == config::Verb::kEval;
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
  job.mode = evaluates ? JobMode::kEval : JobMode::kTrain;
  job.config_path = arguments.cfg.value_or("");
  job.command_line = command_line;
  job.version = version;
  job.process_start = process_start_seconds();
  prepared.notes = arguments.notes;
  prepared.notes.insert(
      prepared.notes.end(), loaded.notes.begin(), loaded.notes.end());
  if (job.recipe.model.pretrained && !arguments.resume) {
    use_record(prepared);
  }
  return prepared;
}

namespace {

// Everything after the machines have met.
void check_job(PreparedJob& prepared, const config::Arguments& arguments) {
  check_recipe(prepared, prepared.workers);
  if (!arguments.resume && !arguments.dry_run && prepared.decides()) {
    check_exists(prepared.job.recipe.model); // before there is a run folder
  }
  list_data(prepared);
  // Of several machines the first one decides, and tells the others.
  if (arguments.resume && prepared.decides()) {
    resolve_resume(prepared, *arguments.resume, !arguments.dry_run);
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

PreparedJob prepare(
    const config::Arguments& arguments,
    const std::string& command_line,
    const std::string& version) {
  PreparedJob prepared = begin_job(arguments, command_line, version);
  try {
    try {
      choose_devices(prepared, arguments);
    } catch (const Error& error) {
      tell_with_the_rest(prepared, error);
      throw;
    }
    check_job(prepared, arguments);
  } catch (const std::exception& error) {
    if (prepared.link) {
      prepared.link->fail_all(
          static_cast<int>(exit_code_of(error)), error.what());
    }
    throw;
  }
  return prepared;
}

} // namespace vitrain::engine

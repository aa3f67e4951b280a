#include "engine/launch_job.h"

#include <unistd.h>

#include <cstdio>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "config/validate.h"
#include "core/check.h"
#include "core/text.h"
#include "engine/data_options.h"
#include "engine/describe.h"
#include "engine/precision.h"
#include "engine/pretrained.h"
#include "engine/run_directory.h"
#include "engine/run_state.h"
#include "launch/cores.h"
#include "launch/descriptors.h"
#include "launch/environment.h"
#include "launch/supervise.h"
#include "models/spec.h"

namespace vitrain::engine {
namespace {

std::string describe_devices(
    const std::vector<launch::DeviceSlot>& devices,
    int threads,
    bool single_process) {
  if (devices.front().kind == launch::DeviceKind::kCpu) {
    return fmt::format(
        "{} CPU {}{} with {} thread{} each",
        devices.size(),
        single_process ? "replica" : "worker",
        devices.size() == 1 ? "" : "s",
        threads,
        threads == 1 ? "" : "s");
  }
  std::vector<std::string> labels;
  for (const launch::DeviceSlot& device : devices) {
    labels.push_back(device.label());
  }
  return join(labels, ", ");
}

void choose_devices(PreparedJob& prepared) {
  Job& job = prepared.job;
  const launch::Environment user = launch::current_environment();
  prepared.devices = launch::choose_devices(
      device_request(job.recipe.devices), launch::visible_cuda_devices());
  prepared.cores = launch::available_cores();
  const int devices = static_cast<int>(prepared.devices.size());
  const int workers = job.single_process() ? 1 : devices;
  job.cuda = prepared.devices.front().kind == launch::DeviceKind::kCuda;
  for (const launch::DeviceSlot& device : prepared.devices) {
    job.ordinals.push_back(device.ordinal);
  }
  job.threads = launch::worker_threads(user, prepared.cores, devices);
  job.cores_per_worker = std::max(1, prepared.cores / workers);
  job.device_text =
      describe_devices(prepared.devices, job.threads, job.single_process());
  for (const std::string& warning :
       launch::environment_warnings(user, prepared.cores, devices)) {
    prepared.notes.push_back("warning: " + warning);
  }
}

// Lists one of the datasets. A list of images does not say how many classes
// there are: `classes` does, or with 0 its largest label.
std::unique_ptr<data::Index> list_source(
    const config::SourceConfig& source,
    bool train,
    std::int64_t classes) {
  data::SourceOptions options = source_options(source, train);
  if (options.kind == data::SourceKind::kList) {
    options.classes = classes;
  }
  return std::make_unique<data::Index>(data::list(options));
}

void list_data(PreparedJob& prepared) {
  const Job& job = prepared.job;
  const config::DataConfig& data = job.recipe.data;
  std::int64_t classes = job.recipe.model.num_classes.value_or(0);
  if (job.mode == JobMode::kTrain) {
    prepared.train = list_source(data.train, /*train=*/true, classes);
    data::check_for_training(*prepared.train);
    classes = std::ssize(prepared.train->classes());
  }
  prepared.eval = list_source(data.eval, /*train=*/false, classes);
  if (prepared.train) {
    data::check_same_classes(*prepared.train, *prepared.eval);
  }
}

// Finds the checkpoint that -resume means.
void resolve_resume(PreparedJob& prepared, const std::string& resume) {
  Job& job = prepared.job;
  std::filesystem::path path = resume;
  if (resume == "auto") {
    const std::string name = run_name(job.recipe, job.config_path);
    const auto run = newest_run(job.recipe, name);
    if (!run) {
      prepared.notes.push_back(fmt::format(
          "-resume auto: no run '{}' with a checkpoint under {}, so a new one "
          "starts",
          name,
          printable(job.recipe.run.output)));
      return;
    }
    path = *run;
  }
  const std::filesystem::path folder = find_checkpoint(path, /*best=*/false);
  job.resume = folder.native();
  job.resumed_step = checkpoint::read_manifest(folder).step;
  // <run>/checkpoints/step-...: the run goes on where it was.
  job.run_directory = folder.parent_path().parent_path().native();
}

void check_normalisation(
    const config::PreprocessConfig& preprocess,
    const models::ModelSpec& spec) {
  const auto same = [](const std::array<double, 3>& values) {
    return values[0] == values[1] && values[1] == values[2];
  };
  VITRAIN_CHECK(
      spec.features > 0 || spec.channels == 3 ||
          (same(preprocess.mean) && same(preprocess.std)),
      ExitCode::kUsage,
      "data.preprocess: {} takes grey images, and mean and std are those of "
      "colours; give each the same number three times, as in [0.5, 0.5, 0.5]",
      spec.name);
}

// Problems that only the numbers of samples and classes show.
void check_arithmetic(PreparedJob& prepared) {
  Job& job = prepared.job;
  const models::ModelSpec spec =
      models::resolve(job.recipe.model, data_shape(*prepared.eval));
  check_normalisation(job.recipe.data.preprocess, spec);
  resolve_precision(job.recipe.train.precision, job.cuda, cpu_features());
  const int workers = static_cast<int>(prepared.devices.size());
  prepared.sampler = make_sampler(job.recipe, prepared.train.get(), workers);
  const config::Plan plan =
      make_plan(job, workers, prepared.sampler.get(), *prepared.eval);
  if (job.mode == JobMode::kTrain && !job.resume.empty()) {
    identity_of(job, plan, spec, *prepared.train)
        .check_same(
            checkpoint::read_manifest(job.resume).state.at("identity"),
            printable(job.resume));
    prepared.finished = job.resumed_step >= plan.total_steps;
  }
}

launch::SectionTimeouts timeouts_of(const config::TimeoutsConfig& timeouts) {
  return {
      .setup = timeouts.setup,
      .step = timeouts.step,
      .eval = timeouts.eval,
      .checkpoint = timeouts.checkpoint};
}

void tell(const std::string& text) {
  if (!text.empty() && ::isatty(STDERR_FILENO) != 0) {
    // A worker that was killed leaves its progress line behind.
    std::fputs("\r\x1b[K", stderr);
  }
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

} // namespace

launch::DeviceRequest device_request(const config::DevicesConfig& devices) {
  launch::DeviceRequest request{.count = devices.count, .ids = devices.ids};
  switch (devices.kind) {
    case config::DeviceKind::kAuto:
      request.kind = launch::DeviceChoice::kAuto;
      break;
    case config::DeviceKind::kCuda:
      request.kind = launch::DeviceChoice::kCuda;
      break;
    case config::DeviceKind::kCpu:
      request.kind = launch::DeviceChoice::kCpu;
      break;
  }
  return request;
}

PreparedJob prepare(
    const config::Arguments& arguments,
    const std::string& command_line,
    const std::string& version) {
  PreparedJob prepared;
  Job& job = prepared.job;
  config::Loaded loaded = config::load(arguments.load_request());
  job.recipe = std::move(loaded.recipe);
  job.mode =
      arguments.verb == config::Verb::kEval ? JobMode::kEval : JobMode::kTrain;
  job.config_path = arguments.cfg.value_or("");
  job.command_line = command_line;
  job.version = version;
  job.process_start = process_start_seconds();
  prepared.notes = arguments.notes;
  prepared.notes.insert(
      prepared.notes.end(), loaded.notes.begin(), loaded.notes.end());
  VITRAIN_CHECK(
      job.mode == JobMode::kTrain || job.recipe.model.pretrained.has_value(),
      ExitCode::kUsage,
      "-eval needs weights: give -pretrained FILE (a .safetensors file, a "
      "checkpoint or a run folder) or set model.pretrained");
  choose_devices(prepared);
  config::validate(
      job.recipe,
      {.workers = std::ssize(prepared.devices),
       .cuda = job.cuda,
       .training = job.mode == JobMode::kTrain},
      loaded.origins)
      .throw_if_any();
  list_data(prepared);
  if (arguments.resume) {
    resolve_resume(prepared, *arguments.resume);
  }
  check_arithmetic(prepared);
  return prepared;
}

int launch(PreparedJob& prepared) {
  Job& job = prepared.job;
  for (const std::string& note : prepared.notes) {
    tell(note + "\n");
  }
  if (prepared.finished) {
    tell(fmt::format(
        "{} has all its {} steps: nothing to do\n",
        printable(job.run_directory),
        with_commas(job.resumed_step)));
    return 0;
  }
  if (job.run_directory.empty()) {
    const std::string name = run_name(job.recipe, job.config_path);
    job.run_directory =
        create_run_directory(
            job.recipe, job.mode == JobMode::kEval ? name + "-eval" : name)
            .path.native();
  }
  const RunDirectory run{job.run_directory};

  launch::SupervisorOptions options;
  Fd train_index;
  if (prepared.train) {
    train_index = launch::make_memfd("train-index", prepared.train->bytes());
    job.train_index_fd = train_index.get();
    options.inherited.push_back(train_index.get());
  }
  const Fd eval_index =
      launch::make_memfd("eval-index", prepared.eval->bytes());
  job.eval_index_fd = eval_index.get();
  options.inherited.push_back(eval_index.get());

  options.devices = prepared.devices;
  if (job.single_process()) {
    options.devices.resize(1); // the other devices are this worker's, too
  }
  options.job = job.to_json();
  options.log_folder = run.logs();
  options.cores = prepared.cores;
  options.timeouts = timeouts_of(job.recipe.dist.timeouts);
  options.notice = [](const std::string& line) { tell(line + "\n"); };
  const launch::Outcome outcome = launch::Supervisor(std::move(options)).run();
  tell(outcome.report);
  return outcome.exit_code;
}

std::string dry_run(const PreparedJob& prepared) {
  const Job& job = prepared.job;
  const int workers = static_cast<int>(prepared.devices.size());
  const config::Plan plan =
      make_plan(job, workers, prepared.sampler.get(), *prepared.eval);
  const models::ModelSpec spec =
      models::resolve(job.recipe.model, data_shape(*prepared.eval));
  Job shown = job;
  shown.run_directory = "(none: dry run)";
  const RunFacts facts{
      .job = shown,
      .plan = plan,
      .spec = spec,
      .parameters = models::parameter_count(spec),
      .precision = resolve_precision(
          job.recipe.train.precision, job.cuda, cpu_features()),
      .train = prepared.train.get(),
      .sampler = prepared.sampler.get(),
      .eval = prepared.eval.get(),
      .workers = job.single_process() ? 1 : workers,
      .backend = job.single_process() ? "threads of one process"
          : workers == 1              ? "none (one worker)"
          : job.cuda                  ? "nccl"
                                      : "gloo"};
  return logging::banner(
      describe_title(facts), describe_run(facts), logging::Look{});
}

} // namespace vitrain::engine

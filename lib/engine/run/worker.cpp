#include "engine/run/worker.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "core/check.h"
#include "core/system/cuda_plugin.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "dist/group/agreement.h"
#include "dist/group/connect.h"
#include "dist/group/replicas.h"
#include "engine/device/autocast.h"
#include "engine/device/cpu_setup.h"
#include "engine/device/out_of_memory.h"
#include "engine/device/peak_memory.h"
#include "engine/device/session.h"
#include "engine/eval/outcomes.h"
#include "engine/report/reporter.h"
#include "engine/run/begin_run.h"
#include "engine/run/join_job.h"
#include "engine/run/run_agreement.h"
#include "engine/run/set_up.h"
#include "engine/run/start_from_images.h"
#include "engine/state/named_state.h"
#include "engine/state/pretrained.h"
#include "engine/step/parameter_groups.h"
#include "engine/train/trainer.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "job/run/partial_epoch.h"
#include "job/run/run_directory.h"
#include "launch/foreign/launch_parents.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/error_file.h"
#include "launch/processes/heartbeat.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/signals.h"
#include "launch/processes/worker_process.h"
#include "logging/console.h"
#include "models/resolve.h"
#include "networks/model.h"
#include "report/terminal/ending.h"

namespace vitrain::engine {
namespace {

ExitCode evaluate_only(Session& session) {
  dist::broadcast_state(
      *session.groups.control,
      *session.groups.data,
      named_state(*session.model));
  const Evaluator evaluator = make_evaluator(session);
  session.heartbeat.enter(launch::RunPhase::kEval);
  const Stopwatch watch;
  SampleResults found;
  const EvalCounts counts = evaluator.run(
      *session.model,
      *session.groups.control,
      [&](std::int64_t done, std::int64_t all) {
        session.heartbeat.beat();
        session.observer.evaluating(done, all);
      },
      &found);
  session.observer.evaluated(
      /*step=*/0,
      {.counts = counts,
       .subset = std::ssize(evaluator.subset()),
       .seconds = watch.seconds()},
      {});
  record_evaluation(session, evaluator, std::move(found), /*tells=*/true);
  return ExitCode::kDone;
}

ExitCode work(Session& session, Reporter& reporter) {
  const Json start = announce(session, reporter);
  if (session.job.mode == job::JobMode::kEval) {
    open_run(session, reporter, start);
    return evaluate_only(session);
  }
  Trainer trainer(session);
  // Parameters were allocated one by one and are in flat buffers now. Gives the
  // freed memory back to the system, which workers with their high trim
  // threshold would not do.
  ::malloc_trim(0);
  open_run(session, reporter, start);
  return trainer.run();
}

// Returns a text for the user about how the run ended.
const char* outcome(job::JobMode mode, ExitCode code) {
  if (mode == job::JobMode::kEval) {
    return "evaluated";
  }
  switch (code) {
    case ExitCode::kStopped:
      return "stopped on request";
    case ExitCode::kWorkerDied:
      return "stopped after another worker failed";
    default:
      return "done";
  }
}

// Loads the run's initial weights if they are not random; only on rank 0, whose
// weights are broadcast later.
void start_weights(Session& session) {
  const job::Job& job = session.job;
  if (session.rank != 0 || !job.resume.empty()) {
    return;
  }
  const bool trains = job.mode == job::JobMode::kTrain;
  const auto lines = job.recipe.model.pretrained
      ? load_pretrained(
            *session.model, session.spec, job.recipe.model, purpose_of(job))
      : trains ? start_from_images(session)
               : std::vector<std::string>();
  for (const std::string& line : lines) {
    session.observer.console().info(line);
  }
}

// Sets up data, plan and model, then trains or evaluates.
ExitCode lead(Session& session, Reporter& reporter) {
  const job::Job& job = session.job;
  session.eval_index =
      std::make_shared<const data::Index>(data::Index::map(job.eval_index_fd));
  if (job.mode == job::JobMode::kTrain) {
    session.train_index = std::make_shared<const data::Index>(
        data::Index::map(job.train_index_fd));
  }
  const int devices = job.devices(session.world);
  session.samplers =
      job::make_samplers(job.recipe, session.train_index.get(), devices);
  session.plan =
      job::plan_job(job, devices, session.samplers.get(), *session.eval_index);
  if (!job.resume.empty()) {
    session.samplers = job::make_samplers(
        job.recipe,
        session.train_index.get(),
        devices,
        job::partial_epoch(
            checkpoint::read_manifest(job.resume),
            session.plan.timeline,
            job.recipe.train.accumulate));
  }
  session.eval_precision =
      job::resolve_eval_precision(job.recipe, job::processors_of(job));
  session.precision = job.mode == job::JobMode::kTrain
      ? job::resolve_precision(
            job.recipe.train.precision, job::processors_of(job))
      : session.eval_precision;
  session.spec =
      models::resolve(job.recipe.model, job::data_shape(*session.eval_index));
  session.spec.heads_apart =
      models::learns_by_token(job.recipe.train.distill, session.spec);
  if (job.mode == job::JobMode::kTrain) {
    session.spec.lora = job.recipe.model.lora;
  }
  session.model = networks::make_model(
      session.spec, static_cast<std::uint64_t>(job.recipe.run.seed));
  start_weights(session);
  if (job.mode == job::JobMode::kTrain) {
    freeze(*session.model, job.recipe.model);
  }
  dist::check_agreement(*session.groups.control, facts_to_agree_on(session));
  session.model->to(session.device);
  const ExitCode code = work(session, reporter);
  reporter.finish(
      code,
      outcome(job.mode, code),
      session.finished_steps,
      peak_memory(session));
  session.groups.shutdown();
  // After another worker's failure this worker has still stopped with a
  // checkpoint; the supervisor reports how the run ended.
  return code == ExitCode::kWorkerDied ? ExitCode::kStopped : code;
}

ExitCode run_session(
    const job::Job& job,
    const launch::WorkerContext& context,
    const CudaPlugin* cuda,
    dist::Groups& groups,
    launch::Heartbeat& heartbeat,
    const launch::StopRequest& stop,
    Reporter& reporter) {
  at::set_num_threads(job.recipe.run.elastic() ? 1 : job.threads);
  Session session{
      .job = job,
      .rank = context.rank,
      .world = context.world_size,
      .local_world = context.local_world_size,
      .device = cuda != nullptr
          ? c10::Device(
                c10::kCUDA,
                static_cast<c10::DeviceIndex>(job.ordinals.at(
                    static_cast<std::size_t>(context.local_rank))))
          : c10::Device(c10::kCPU),
      .cuda = cuda,
      .groups = groups,
      .heartbeat = heartbeat,
      .stop = stop,
      .observer = reporter};
  try {
    return lead(session, reporter);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) {
      throw explain_out_of_memory(
          session,
          error,
          job.mode == job::JobMode::kEval && session.model ? "evaluation"
                                                           : "set-up");
    }
    throw;
  }
}

// Returns true for a CUDA error. A failed device also ends its worker; the
// error reaches either the training thread or NCCL's thread.
bool is_device_failure(const std::exception& error) {
  return std::string_view(error.what()).find("CUDA error") !=
      std::string_view::npos;
}

ExitCode code_of(const std::exception& error) {
  return is_out_of_memory(error) ? ExitCode::kOutOfMemory
      : is_device_failure(error) ? ExitCode::kWorkerDied
                                 : exit_code_of(error);
}

// Destroys the reporter, which writes to the run folder, unless another process
// has taken over the folder.
void close_reporter(std::optional<Reporter>& reporter) {
  if (reporter && !reporter->is_lost()) {
    reporter.reset();
  }
}

// Under another launcher, rank 0 removes the folder of an evaluation that keeps
// no records, as the supervisor does otherwise.
void remove_unkept_evaluation(
    const launch::WorkerContext& context,
    const job::Job& job,
    ExitCode code) {
  if (context.launched() && context.rank == 0 &&
      job.mode == job::JobMode::kEval && !job.run_directory.empty()) {
    job::remove_unkept(job.recipe, {job.run_directory}, static_cast<int>(code));
  }
}

// Writes to standard error, without waiting for its reader.
void say_error(const std::string& text) {
  launch::write_ready(
      STDERR_FILENO,
      message_for(STDERR_FILENO, fmt::format("error: {}\n", text)));
}

// Reports why this worker failed. Under another launcher, rank 0 also says how
// to continue; otherwise vitrain's supervisor does.
void tell_failure(
    const launch::WorkerContext& context,
    const job::Job& job,
    std::optional<Reporter>& reporter,
    const std::string& text) {
  if (reporter) {
    reporter->failed();
    reporter->console().log("error: " + text);
  }
  // Otherwise vitrain's supervisor shows the last lines of the worker's log.
  if (!reporter || context.launched()) {
    say_error(fmt::format("rank {}: {}", context.rank, text));
  }
  launch::write_error_file(text);
  if (reporter && context.launched() && context.rank == 0 &&
      job.mode == job::JobMode::kTrain) {
    launch::write_ready(STDERR_FILENO, report::ending_of(job.run().path));
  }
}

// Global, because on_terminate() has no arguments.
launch::Heartbeat* heartbeat_of_process = nullptr;

// Reports an uncaught exception, such as one in NCCL's watchdog thread, to the
// supervisor or launcher.
[[noreturn]] void on_terminate() {
  heartbeat_of_process->failed();
  auto code = ExitCode::kInternal;
  std::string text = "ended by an exception that nobody caught";
  try {
    if (const std::exception_ptr error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::exception& error) {
    text = first_words(error);
    code = code_of(error);
  } catch (...) {
  }
  say_error(text);
  launch::write_error_file(text);
  if (code == ExitCode::kInternal) {
    std::abort(); // leaves a core dump
  }
  ::_exit(static_cast<int>(code));
}

} // namespace

int run_worker() {
  // Disables c10d's flight recorder, which does not support Gloo groups on
  // several threads, as parameter servers use them. c10d reads the variable at
  // first use; no thread runs yet.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/1);
  launch::WorkerContext context = launch::read_worker_context();
  job::Job job = job::Job::from_json(context.job);
  launch::stop_at_once(true); // until the trainer has something to save
  // Another launcher may send its stop signal more than once.
  const launch::StopRequest stop(context.launched() ? 0 : ::getppid());
  launch::Heartbeat heartbeat = context.launched()
      ? launch::Heartbeat()
      : launch::Heartbeat(
            context.heartbeat.get(),
            context.local_rank,
            context.local_world_size);
  heartbeat.lead();
  heartbeat_of_process = &heartbeat;
  std::set_terminate(&on_terminate);
  launch::LaunchParentWatch parents(
      launch::launch_parents_from(context.launch_parents),
      fmt::format("rank {}", context.rank));
  JoinedJob joined{.console = logging::console_options_from_environment()};
  std::optional<Reporter> reporter;
  dist::Groups groups; // stay open until a failure has been reported
  try {
    const CudaPlugin* cuda = set_up_device(job, context.local_rank);
    groups = connect_workers(job, context, cuda);
    if (context.launched()) {
      joined = join_job(job, context, *groups.control);
      parents.tell_also(joined.log.get());
    }
    if (joined.finished) {
      groups.shutdown();
      return static_cast<int>(ExitCode::kDone);
    }
    reporter.emplace(job, context.rank, context.world_size, joined.console);
    const ExitCode code =
        run_session(job, context, cuda, groups, heartbeat, stop, *reporter);
    heartbeat.done();
    remove_unkept_evaluation(context, job, code);
    return static_cast<int>(code);
  } catch (const std::exception& error) {
    heartbeat.failed();
    tell_failure(context, job, reporter, first_words(error));
    remove_unkept_evaluation(context, job, code_of(error));
    close_reporter(reporter);
    joined.lock.reset(); // after the reporter, whose lease would restore it
    std::fflush(nullptr);
    // Closing a group that has failed may take long: NCCL's threads wait for
    // operations that will not end.
    ::_exit(static_cast<int>(code_of(error)));
  }
}

} // namespace vitrain::engine

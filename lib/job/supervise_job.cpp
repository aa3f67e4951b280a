#include "job/supervise_job.h"

#include <algorithm>
#include <utility>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/json.h"
#include "core/text.h"
#include "job/resolve_devices.h"
#include "job/run/failure_record.h"
#include "job/run/leftovers.h"
#include "job/run/mirror.h"
#include "job/run/resume_advice.h"
#include "job/run/run_directory.h"
#include "job/run_decision.h"
#include "launch/devices/open_files.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/signal_queue.h"
#include "launch/processes/signals.h"
#include "launch/supervise/restarts.h"
#include "launch/supervise/supervise.h"
#include "logging/stream_output.h"

namespace vitrain::job {
namespace {

launch::PhaseTimeouts timeouts_of(const config::TimeoutsConfig& timeouts) {
  return {
      .setup = timeouts.setup,
      .step = timeouts.step,
      .eval = timeouts.eval,
      .checkpoint = timeouts.checkpoint};
}

void tell(const std::string& text) {
  logging::StreamOutput& output = logging::standard_error();
  // Clears the progress line of a killed worker.
  const bool erase = !text.empty() && output.is_terminal();
  output.write(erase ? "\r\x1b[K" : "");
  output.message(text);
}

// Node 0's decision about the next attempt, the same on every machine.
struct Agreement {
  launch::ListeningSocket
      store; // on node 0: listening socket for rank 0's store
  bool again = true; // true if there is another attempt
};

// Agrees with the other machines on the run and the next attempt, as node 0
// decides. For a single machine, returns `again` without a socket.
Agreement agree(PreparedJob& prepared, bool again = true) {
  if (!prepared.link) {
    return {.store = {}, .again = again};
  }
  launch::ListeningSocket store;
  Json attempt;
  if (prepared.decides()) {
    store = launch::listen_for_nodes(prepared.link->master_address(), 0);
    attempt = {
        {"run", decision_of(prepared)}, {"again", again}, {"port", store.port}};
  }
  attempt = Json::parse(prepared.link->share(attempt.dump()));
  adopt(attempt.at("run"), "node 0", prepared);
  store.port = attempt.at("port");
  return {.store = std::move(store), .again = attempt.at("again")};
}

// Sets the job's checkpoint to the newest complete one, from which the next
// attempt resumes. Returns false if there is none. Called on the machine that
// decides.
bool find_checkpoint(Job& job) {
  try {
    const std::string note = restore_newest(job.recipe, job.run());
    tell(note.empty() ? "" : note + "\n");
  } catch (const Error& error) {
    tell(fmt::format("warning: {}\n", error.what()));
  }
  std::vector<std::string> rejected;
  const auto checkpoint =
      checkpoint::newest_valid(job.run().checkpoints(), &rejected);
  for (const std::string& reason : rejected) {
    tell(fmt::format("warning: passed over {}\n", reason));
  }
  if (checkpoint) {
    job.resume = checkpoint->native();
    job.resumed_step = checkpoint::read_manifest(*checkpoint).step;
  }
  return checkpoint.has_value();
}

// Reports the restart and waits before it. Returns the exit code of the run if
// a signal arrived during the wait, else nullopt.
std::optional<int> pause_before_restart(
    PreparedJob& prepared,
    const launch::Restarts& restarts) {
  Job& job = prepared.job;
  const bool decides = prepared.decides();
  const bool checkpoint = decides && find_checkpoint(job);
  // Other nodes do not know the number of successive restarts and use the
  // total.
  const std::int64_t count = decides ? restarts.in_a_row() : job.restarts + 1;
  const double pause = launch::restart_pause(static_cast<int>(count - 1));
  const std::string from = checkpoint
      ? fmt::format("from step {}", with_commas(job.resumed_step))
      : decides ? "from the beginning: there is no complete checkpoint yet"
                : "from where node 0 says, if it does";
  tell(fmt::format(
      "restart {} of {} in {:g} s, {}\n",
      count,
      job.recipe.run.max_restarts,
      pause,
      from));
  ++job.restarts;
  const int number = launch::wait_for_signal(pause);
  if (number == 0) {
    return std::nullopt;
  }
  tell(fmt::format("{}: not started again\n", launch::signal_name(number)));
  return checkpoint ? static_cast<int>(ExitCode::kStopped) : 128 + number;
}

// Handles the end of an attempt: returns the exit code of the run, or nullopt
// if training restarts; then sets the state for the next attempt in
// prepared.job, and `store`.
std::optional<int> after_attempt(
    PreparedJob& prepared,
    launch::Restarts& restarts,
    const launch::SuperviseResult& outcome,
    launch::ListeningSocket& store) {
  const Job& job = prepared.job;
  const int code = outcome.exit_code;
  if (code > 128 && !job.resume.empty() && outcome.stopped_in_setup) {
    return static_cast<int>(ExitCode::kStopped); // the run's checkpoint exists
  }
  if (code != static_cast<int>(ExitCode::kWorkerDied) ||
      job.mode == JobMode::kEval || job.recipe.run.max_restarts == 0) {
    return code;
  }
  const bool again = !prepared.decides() ||
      restarts.after(
          {.how = outcome.failed_in_setup ? "" : outcome.failure,
           .step = std::max(outcome.step, job.resumed_step)});
  if (!again && !restarts.reason().empty()) {
    tell(restarts.reason() + "\n");
  }
  if (again) {
    if (const auto stopped = pause_before_restart(prepared, restarts)) {
      return stopped;
    }
  }
  Agreement agreement = agree(prepared, again);
  store = std::move(agreement.store);
  return agreement.again ? std::nullopt : std::optional(code);
}

// Returns the options that are equal in all attempts of a run, without
// inherited descriptors.
launch::SupervisorOptions supervisor_options(const PreparedJob& prepared) {
  const Job& job = prepared.job;
  launch::SupervisorOptions options;
  options.executable = prepared.worker_program;
  options.devices = prepared.devices;
  if (job.single_process()) {
    options.devices.resize(1); // this worker uses the other devices, too
  }
  options.log_folder = log_folder(job.recipe, job.run());
  options.cores = prepared.cores;
  options.timeouts = timeouts_of(job.recipe.dist.timeouts);
  options.stopped_seconds = job.recipe.dist.timeouts.stopped;
  options.notice = [](const std::string& line) { tell(line + "\n"); };
  options.show_all_ranks = job.recipe.log.ranks == config::LogRanks::kAll;
  options.saves = job.mode == JobMode::kTrain;
  return options;
}

// On the machine that decides, writes the reason of a failed attempt into the
// run folder, unless another process has it now, or a resumed run was stopped
// before it changed.
void record_failure(
    const PreparedJob& prepared,
    const RunDirectory& run,
    const launch::SuperviseResult& outcome) {
  const int code = outcome.exit_code;
  const bool is_ours = !prepared.lock || !prepared.lock->is_lost();
  const bool is_unchanged =
      outcome.stopped_in_setup && !prepared.job.resume.empty();
  if (code == 0 || code == static_cast<int>(ExitCode::kStopped) ||
      !prepared.decides() || !is_ours || is_unchanged) {
    return;
  }
  const std::string reason = !outcome.reason.empty() ? outcome.reason
      : outcome.stopped_in_setup
      ? fmt::format("ended by {} in set-up", launch::signal_name(code - 128))
      : outcome.report.substr(0, outcome.report.find('\n'));
  write_failure(run, reason, code);
}

// Prints that the run has completed all its steps already. Returns the exit
// code, 0.
int end_finished(const PreparedJob& prepared) {
  if (prepared.lock) {
    remove_leftovers(prepared.job.run());
  }
  tell(finished_text(prepared.job) + "\n");
  return 0;
}

int supervise_here(PreparedJob& prepared) {
  Job& job = prepared.job;
  launch::provide_open_files(open_files(job, prepared.workers));
  if (job.run_directory.empty() && prepared.decides()) {
    make_run_directory(prepared);
  }
  for (const std::string& note : prepared.notes) {
    tell(note + "\n");
  }
  launch::ListeningSocket store = agree(prepared).store;
  if (prepared.finished) {
    return end_finished(prepared);
  }
  if (prepared.decides()) {
    write_held_out(prepared);
  }
  const RunDirectory run{job.run_directory};
  launch::SupervisorOptions options = supervisor_options(prepared);
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
  // Any process that may still write must hold the kernel's lock.
  if (prepared.lock && prepared.lock->descriptor() > 2) {
    options.inherited.push_back(prepared.lock->descriptor());
  }
  launch::Restarts restarts(job.recipe.run.max_restarts);
  while (true) {
    if (prepared.lock) {
      prepared.lock->check(); // throws if another process has taken the lock
    }
    options.job = job.to_json();
    options.restarts = job.restarts;
    options.nodes = prepared.link.get();
    options.store_socket = store.socket.get();
    options.store_port = store.port;
    const launch::SuperviseResult outcome = launch::supervise(options);
    tell(outcome.report);
    record_failure(prepared, run, outcome);
    if (job.mode == JobMode::kEval && prepared.decides() &&
        remove_unkept(job.recipe, run, outcome.exit_code) &&
        outcome.exit_code != 0) {
      tell(fmt::format(
          "{} is removed: nothing was evaluated\n",
          printable(run.path.native())));
    }
    if (const auto code = after_attempt(prepared, restarts, outcome, store)) {
      return *code;
    }
  }
}

} // namespace

int supervise(PreparedJob& prepared) {
  try {
    return supervise_here(prepared);
  } catch (const std::exception& error) {
    if (prepared.link) {
      prepared.link->fail_all(
          static_cast<int>(exit_code_of(error)), error.what());
    }
    throw;
  }
}

} // namespace vitrain::job

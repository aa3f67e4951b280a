// launch() of launch_job.h: the attempts of a run, on one machine or several.

#include <unistd.h>

#include <cstdio>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "config/preprocess_values.h"
#include "core/check.h"
#include "core/json.h"
#include "core/text.h"
#include "engine/launch_job.h"
#include "engine/run_directory.h"
#include "launch/descriptors.h"
#include "launch/open_files.h"
#include "launch/rendezvous.h"
#include "launch/signal_queue.h"
#include "launch/signals.h"
#include "launch/supervise.h"

namespace vitrain::engine {
namespace {

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

// What node 0 has decided about the next attempt, with a socket for its store;
// the same on every machine. With one machine there is nothing to agree on.
launch::Rendezvous agree(PreparedJob& prepared) {
  if (!prepared.link) {
    return {};
  }
  Job& job = prepared.job;
  launch::Rendezvous store;
  Json decision;
  if (prepared.decides()) {
    store = launch::listen_for_nodes(prepared.link->master_address(), 0);
    decision = {
        {"run_directory", job.run_directory},
        {"resume", job.resume},
        {"resumed_step", job.resumed_step},
        {"finished", prepared.finished},
        {"preprocess", config::preprocess_values(job.recipe)},
        {"port", store.port}};
  }
  decision = Json::parse(prepared.link->share(decision.dump()));
  job.run_directory = decision.at("run_directory");
  job.resume = decision.at("resume");
  job.resumed_step = decision.at("resumed_step");
  prepared.finished = decision.at("finished");
  if (job.mode == JobMode::kEval) { // only node 0 needs to have the weights
    config::use_preprocess_values(
        decision.at("preprocess"),
        "node 0",
        config::PreprocessUse::kAdopt,
        job.recipe,
        prepared.origins);
  }
  store.port = decision.at("port");
  return store;
}

// What follows an attempt that ended with `code`: the exit code of the run, or
// nothing when training starts again. Then waits, and sets in `job` what the
// next attempt continues from.
std::optional<int> after_attempt(PreparedJob& prepared, int code) {
  Job& job = prepared.job;
  const std::int64_t allowed = job.recipe.run.max_restarts;
  if (code != static_cast<int>(ExitCode::kWorkerDied) ||
      job.mode == JobMode::kEval || job.restarts >= allowed) {
    return code;
  }
  std::optional<std::filesystem::path> checkpoint;
  if (prepared.decides()) {
    checkpoint =
        checkpoint::newest_valid(RunDirectory{job.run_directory}.checkpoints());
  }
  if (checkpoint) {
    job.resume = checkpoint->native();
    job.resumed_step = checkpoint::read_manifest(*checkpoint).step;
  }
  const double pause = launch::restart_pause(job.restarts);
  ++job.restarts;
  const std::string from = checkpoint
      ? fmt::format("from step {}", with_commas(job.resumed_step))
      : prepared.decides()
      ? "from the beginning: there is no complete checkpoint yet"
      : "from where node 0 says";
  tell(fmt::format(
      "restart {} of {} in {:g} s, {}\n", job.restarts, allowed, pause, from));
  const int number = launch::wait_for_signal(pause);
  if (number == 0) {
    return std::nullopt;
  }
  tell(fmt::format("{}: not started again\n", launch::signal_name(number)));
  return checkpoint ? static_cast<int>(ExitCode::kStopped) : 128 + number;
}

int launch_here(PreparedJob& prepared) {
  Job& job = prepared.job;
  launch::provide_open_files(open_files(job, prepared.workers));
  for (const std::string& note : prepared.notes) {
    tell(note + "\n");
  }
  if (job.run_directory.empty() && prepared.decides()) {
    job.run_directory = make_run_directory(job);
  }
  launch::Rendezvous store = agree(prepared);
  if (prepared.finished) {
    tell(fmt::format(
        "{} has all its {} steps: nothing to do\n",
        printable(job.run_directory),
        with_commas(job.resumed_step)));
    return 0;
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
  options.log_folder = log_folder(job.recipe, run);
  options.cores = prepared.cores;
  options.timeouts = timeouts_of(job.recipe.dist.timeouts);
  options.notice = [](const std::string& line) { tell(line + "\n"); };
  options.show_all_ranks = job.recipe.log.ranks == config::LogRanks::kAll;
  while (true) {
    options.job = job.to_json();
    options.restarts = job.restarts;
    options.nodes = prepared.link.get();
    options.store_socket = store.socket.get();
    options.store_port = store.port;
    const launch::Outcome outcome = launch::Supervisor(options).run();
    tell(outcome.report);
    if (const auto code = after_attempt(prepared, outcome.exit_code)) {
      return *code;
    }
    store = agree(prepared);
  }
}

} // namespace

int launch(PreparedJob& prepared) {
  try {
    return launch_here(prepared);
  } catch (const std::exception& error) {
    if (prepared.link) {
      prepared.link->fail_all(
          static_cast<int>(exit_code_of(error)), error.what());
    }
    throw;
  }
}

} // namespace vitrain::engine

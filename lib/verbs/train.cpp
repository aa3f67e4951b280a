#include <algorithm>
#include <cstdio>

#include "config/load/writer.h"
#include "core/check.h"
#include "core/json_values.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "job/launched_job.h"
#include "job/recipe_check.h"
#include "job/supervise_job.h"
#include "launch/foreign/launchers.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/signals.h"
#include "logging/stream_output.h"
#include "models/resolve.h"
#include "report/page/write_report.h"
#include "report/terminal/ending.h"
#include "verbs/find_lr.h"
#include "verbs/run_hosts.h"
#include "verbs/trial.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Detects the launcher of this process, whose rendezvous -master replaces; none
// with -node_rank. Throws Error(kUsage) if the launcher's variables are
// incomplete or do not fit the options.
launch::Detected find_launcher(const config::Arguments& given) {
  const config::LaunchArguments& arguments = given.launch;
  launch::Detected detected = launch::detect_launcher(
      launch::current_environment(), arguments.launcher);
  if (arguments.node_rank) {
    // Started once per machine: by hand, by a script, or by a launcher.
    const int here = detected.place ? detected.place->local_world_size : 1;
    VITRAIN_CHECK(
        here == 1,
        ExitCode::kUsage,
        "-node_rank is for one vitrain per machine, which starts the workers "
        "itself, and {} started {} on this machine: leave -nnodes and "
        "-node_rank out, or give -launcher none",
        detected.place->launcher,
        here);
    return {};
  }
  VITRAIN_CHECK(
      detected.incomplete.empty(), ExitCode::kUsage, "{}", detected.incomplete);
  if (std::ranges::find(
          given.overrides, "devices.nodes", &config::Override::key) !=
      given.overrides.end()) {
    detected.machine.reset(); // -nnodes takes precedence over the variables
  }
  if (detected.place && arguments.master) {
    const launch::HostPort master =
        launch::parse_host_port(*arguments.master, "-master");
    detected.place->master_address = master.host;
    detected.place->master_port = master.port;
  }
  return detected;
}

job::Request request_of(
    const config::Arguments& arguments,
    const Invocation& invocation) {
  job::Request request{
      .mode = arguments.verb == config::Verb::kEval ? job::JobMode::kEval
                                                    : job::JobMode::kTrain,
      .recipe = arguments.load_request(),
      .resume = arguments.resume,
      .take_over = arguments.take_over,
      .dry_run = arguments.dry_run,
      .node_rank = arguments.launch.node_rank,
      .command_line = invocation.command_line,
      .worker_program = invocation.worker_program,
      .version = VITRAIN_VERSION,
      .notes = arguments.notes};
  if (arguments.launch.master) {
    request.master =
        launch::parse_host_port(*arguments.launch.master, "-master");
  }
  return request;
}

// Sets this machine's position among several machines, and its number of
// workers, in `request`.
void join_machines(
    const launch::LaunchedMachine& machine,
    job::Request& request) {
  if (machine.nodes > 1) {
    request.recipe.overrides.push_back(
        {"devices.nodes",
         std::to_string(machine.nodes),
         machine.nodes_variable});
    request.node_rank = machine.node_rank;
    request.managed = !request.master.has_value();
    request.master = request.master.value_or(machine.master);
    request.notes.push_back(fmt::format(
        "{}={}: this is machine {} of {}, which meet at {}:{} (-launcher none "
        "trains on this machine alone)",
        machine.nodes_variable,
        machine.nodes,
        machine.node_rank,
        machine.nodes,
        printable(request.master->host),
        request.master->port));
  }
  if (machine.workers) {
    request.workers = machine.workers;
    request.notes.push_back(fmt::format(
        "{}={}: as many workers here where the recipe does not say how many "
        "(devices.count)",
        machine.workers_variable,
        *machine.workers));
  }
}

// Throws Error(kUsage) for a trial in a process that another program has
// started as one of several.
void check_trial(
    const config::TrialArguments& wanted,
    const launch::Detected& detected) {
  if (!wanted.is_wanted()) {
    return;
  }
  VITRAIN_CHECK(
      !detected.place,
      ExitCode::kUsage,
      "-try and -find_lr start workers themselves, and {} has started this "
      "one: run them without a launcher, or with -launcher none",
      detected.place->launcher);
  VITRAIN_CHECK(
      !detected.machine || detected.machine->nodes == 1,
      ExitCode::kUsage,
      "-try and -find_lr are for one machine, and {} is {}: give -launcher "
      "none",
      detected.machine->nodes_variable,
      detected.machine->nodes);
}

// Runs the trials of -try and -find_lr.
int try_run(
    const job::PreparedJob& prepared,
    const config::TrialArguments& wanted) {
  const job::Job& job = prepared.job;
  VITRAIN_CHECK(
      !prepared.link,
      ExitCode::kUsage,
      "trials are for one machine: leave -nnodes, -node_rank and -master out");
  print_lines(stdout, prepared.notes);
  Subject subject{
      .recipe = models::widest_stage(job.recipe),
      .plan = job::plan_job(
          job, prepared.workers, prepared.samplers.get(), *prepared.eval),
      .epoch_samples =
          prepared.samplers->stages().front().sampler->epoch_samples(),
      .workers = prepared.workers,
      .cuda = job.cuda,
      .devices = job.device_text};
  if (!job.recipe.data.augment.stages.empty()) {
    // Another batch size changes the number of steps per epoch; allow enough
    // epochs.
    subject.recipe.run.epochs =
        std::max(subject.recipe.run.epochs, subject.plan.total_steps);
  }
  if (wanted.steps) {
    try_recipe(subject, *wanted.steps);
  }
  if (wanted.lr_steps) { // the suggested rate is for the first stage's batch
    subject.recipe = job.recipe;
    subject.recipe.data.augment.stages.clear();
    find_learning_rate(subject, *wanted.lr_steps);
  }
  return 0;
}

// Returns true for exit codes of a run that neither ended well nor was stopped
// on request.
bool has_failed(int code) {
  return code != static_cast<int>(ExitCode::kDone) &&
      code != static_cast<int>(ExitCode::kStopped);
}

// Writes the final report, unless another process trains in the run's folder
// now.
void close_failed_run(job::PreparedJob& prepared) {
  const bool is_ours = !prepared.lock || !prepared.lock->is_lost();
  prepared.lock.reset(); // training has ended
  if (is_ours) {
    report::close_report(prepared.job.run());
  }
}

Json end_record(const job::PreparedJob& prepared) {
  return prepared.job.run_directory.empty()
      ? Json()
      : report::open_run(prepared.job.run().path).records.done;
}

// Returns true if a worker has printed the commands that continue, evaluate and
// show the run, or may have, if the run has no records. `before`: the end
// record of the process before.
bool told_commands(
    const job::PreparedJob& prepared,
    int code,
    const Json& before) {
  if (has_failed(code) || prepared.finished) {
    return false;
  }
  if (!prepared.job.recipe.log.jsonl) {
    return true;
  }
  const Json done = end_record(prepared);
  return done.is_object() && done != before &&
      json_number(done, "exit") == code;
}

void tell_commands(const job::PreparedJob& prepared) {
  if (prepared.decides() && !prepared.job.run_directory.empty()) {
    logging::standard_error().write(report::ending_of(prepared.job.run().path));
  }
}

// Supervises the workers until the run ends, then prints what to do next.
int run_to_end(job::PreparedJob& prepared) {
  const bool trains = prepared.job.mode == job::JobMode::kTrain;
  const Json before = end_record(prepared);
  int code = 0;
  try {
    code = job::supervise(prepared);
  } catch (const std::exception&) {
    if (trains) {
      tell_commands(prepared);
    }
    throw;
  }
  if (trains && has_failed(code)) {
    close_failed_run(prepared);
  }
  if (trains && !told_commands(prepared, code, before)) {
    tell_commands(prepared);
  }
  return code;
}

} // namespace

std::optional<int> train(
    const config::Arguments& given,
    const Invocation& invocation) {
  config::Arguments arguments = given;
  std::vector<launch::Host> hosts = named_hosts(arguments);
  if (!hosts.empty() && launch::is_this_machine(hosts)) {
    if (hosts.front().workers > 0) {
      arguments.overrides.push_back(
          {"devices.count", std::to_string(hosts.front().workers), "-hosts"});
    }
    arguments.launch.master.reset(); // a trial uses this machine only
    hosts.clear();
  }
  if (arguments.print_config) {
    const config::PartialRecipe loaded =
        job::load_recipe(arguments.load_request());
    print_lines(stderr, loaded.notes);
    std::fputs(config::to_yaml(loaded.recipe).c_str(), stdout);
    return 0;
  }
  if (!hosts.empty()) {
    return run_hosts(arguments, hosts);
  }
  if (arguments.dry_run && !invocation.print_dry_run) {
    return std::nullopt;
  }
  launch::ignore_output_signals();
  const launch::Detected detected = find_launcher(arguments);
  job::Request request = request_of(arguments, invocation);
  if (detected.machine) {
    join_machines(*detected.machine, request);
  }
  check_trial(arguments.trial, detected);
  if (detected.place) {
    const auto prepared = job::run_launched(request, *detected.place);
    if (prepared) {
      invocation.print_dry_run(*prepared, /*has_weights=*/true);
    }
    return 0;
  }
  job::PreparedJob prepared = job::prepare(request);
  prepared.notes.insert(
      prepared.notes.end(), detected.notes.begin(), detected.notes.end());
  if (arguments.trial.is_wanted()) {
    return try_run(prepared, arguments.trial);
  }
  if (arguments.dry_run) {
    invocation.print_dry_run(prepared, request.node_rank.value_or(0) == 0);
    return 0;
  }
  return run_to_end(prepared);
}

} // namespace vitrain::verbs

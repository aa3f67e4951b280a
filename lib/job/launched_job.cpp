#include "job/launched_job.h"

#include "core/check.h"
#include "job/prepared_job.h"
#include "job/resolve_devices.h"
#include "launch/devices/cores.h"
#include "launch/foreign/exec_worker.h"
#include "launch/foreign/launch_parents.h"
#include "launch/foreign/launched_device.h"
#include "launch/processes/environment.h"
#include "logging/stream_output.h"

namespace vitrain::job {
namespace {

void choose_device(PreparedJob& prepared, const launch::LaunchedPlace& place) {
  Job& job = prepared.job;
  const launch::DeviceSlot device = launch::choose_launched_device(
      place,
      device_request(job.recipe.devices),
      launch::visible_cuda_devices());
  VITRAIN_CHECK(
      !job.single_process() || place.world_size == 1,
      ExitCode::kUsage,
      "dist.mode: single_process is one process for all devices, and {} has "
      "started {}: start vitrain without it, or use dist.mode: processes",
      place.launcher,
      place.world_size);
  prepared.devices = {device};
  prepared.workers = place.world_size;
  prepared.cores = launch::available_cores();
  job.cuda = device.kind == DeviceKind::kCuda;
  job.capability = device.capability;
  // The devices of the node's other workers are unknown here.
  job.ordinals.assign(
      static_cast<std::size_t>(place.local_world_size), device.ordinal);
  job.joining.device = device.label();
  job.joining.device_id = device.uuid;
}

// Returns the number of threads that the user requested; 0 if none. Without a
// request, this worker's cores depend on how the launcher binds the other
// workers.
int asked_threads(const launch::Environment& user) {
  return user.contains("OMP_NUM_THREADS") ? launch::worker_threads(user, 1, 1)
                                          : 0;
}

// Throws Error(kUsage) for settings that workers of another launcher do not
// support.
void check_place(
    const config::Recipe& recipe,
    const launch::LaunchedPlace& place) {
  VITRAIN_CHECK(
      recipe.devices.nodes == 1,
      ExitCode::kUsage,
      "devices.nodes is {}: that is for machines on which vitrain starts the "
      "workers, and {} has started them already; leave -nnodes out, or, "
      "where it started one on each machine, give -node_rank as well",
      recipe.devices.nodes,
      place.launcher);
  VITRAIN_CHECK(
      place.one_node() || !recipe.dist.sync.traits().one_node,
      ExitCode::kUsage,
      "dist.sync.mode: hogwild shares the weights in one machine's memory, and "
      "{} started workers on several: use async_ps",
      place.launcher);
}

// Completes the job on rank 0 for -dry_run, as the workers would do together:
// lists data, resolves -resume, checks the arithmetic.
void complete_for_dry_run(
    PreparedJob& prepared,
    const launch::LaunchedPlace& place,
    const Request& request) {
  list_data(prepared);
  if (request.resume) {
    resolve_resume(prepared, *request.resume, /*writes=*/false);
  }
  check_arithmetic(prepared);
  prepared.job.device_text = place.label();
}

} // namespace

std::optional<PreparedJob> run_launched(
    const Request& request,
    const launch::LaunchedPlace& place) {
  const std::vector<launch::LaunchParent> parents =
      launch::find_launch_parents(place.rank_variable);
  const launch::LaunchParentWatch watch(
      parents, fmt::format("rank {}", place.rank));
  PreparedJob prepared = begin_job(request);
  find_pretrained(prepared, request.resume.has_value());
  Job& job = prepared.job;
  check_place(job.recipe, place);
  choose_device(prepared, place);
  check_recipe(prepared, place.world_size);
  if (job.mode == JobMode::kTrain && job.recipe.run.max_restarts > 0) {
    prepared.notes.push_back(fmt::format(
        "run.max_restarts: has no effect: {} started the workers, and only "
        "what started them can start them again (with -resume auto, from the "
        "last checkpoint)",
        place.launcher));
  }
  if (request.dry_run) {
    if (place.rank != 0) {
      return std::nullopt;
    }
    complete_for_dry_run(prepared, place, request);
    return prepared;
  }
  launch::provide_open_files(open_files(job, place.world_size));
  const launch::Environment user = launch::without_launcher_defaults(
      launch::current_environment(),
      launch::find_launcher_process(place.rank_variable).environment);
  job.threads = asked_threads(user);
  job.joining.resume = request.resume.value_or("");
  job.joining.take_over = request.take_over;
  job.restarts = place.attempt;
  if (place.rank == 0) {
    for (const std::string& note : prepared.notes) {
      logging::standard_error().message(note + "\n");
    }
  }
  launch::exec_worker(
      {.executable = prepared.worker_program,
       .place = place,
       .parents = parents,
       .job = job.to_json(),
       .environment = user,
       .cores = prepared.cores,
       .setup_timeout = job.recipe.dist.timeouts.setup});
}

} // namespace vitrain::job

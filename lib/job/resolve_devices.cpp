#include "job/resolve_devices.h"

#include <optional>

#include "config/rules/validate.h"
#include "core/check.h"
#include "core/system/cuda_plugin.h"
#include "core/text.h"
#include "job/precision.h"
#include "launch/devices/cores.h"
#include "launch/devices/memory.h"
#include "launch/processes/environment.h"
#include "logging/stream_output.h"

namespace vitrain::job {
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

// Connects to the other machines of the run. With -dry_run, assumes that they
// are like this one.
void meet_nodes(PreparedJob& prepared, const Request& request) {
  Job& job = prepared.job;
  const auto nodes = static_cast<int>(job.recipe.devices.nodes);
  if (request.dry_run) {
    prepared.workers *= nodes;
    job.device_text =
        fmt::format("{} machines, each with {}", nodes, job.device_text);
    return;
  }
  VITRAIN_CHECK(
      request.node_rank.has_value() && request.master.has_value(),
      ExitCode::kUsage,
      "{} machines (devices.nodes): give each of them its own -node_rank, 0 to "
      "{}, and all of them -master HOST:PORT with an address of machine 0 and "
      "a free port there (-hosts H1:N,H2:N prints the commands)",
      nodes,
      nodes - 1);
  VITRAIN_CHECK(
      *request.node_rank < nodes,
      ExitCode::kUsage,
      "-node_rank {}: with {} machines it is 0 to {}",
      *request.node_rank,
      nodes,
      nodes - 1);
  // Reports problems that are known already without waiting for the other
  // machines.
  check_recipe(prepared, config::kWorkersUnknown);
  prepared.link = std::make_unique<launch::NodeLink>(launch::NodeRequest{
      .nodes = nodes,
      .node_rank = static_cast<int>(*request.node_rank),
      .master = *request.master,
      .workers = prepared.workers,
      .devices = job.device_text,
      .timeout = job.recipe.dist.timeouts.setup,
      .name_timeout = request.managed ? job.recipe.dist.timeouts.setup
                                      : launch::NodeRequest().name_timeout,
      .notice = [](const std::string& line) {
        logging::standard_error().message(line + "\n");
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

// Returns a note if a build with GPU support runs on the CPU because no GPU is
// visible; nullopt if the user requested the CPU or hid the GPUs. The option
// that the note names keeps the number of workers, and so the batch.
std::optional<std::string> why_no_gpu(
    const Job& job,
    int workers,
    const launch::Environment& user,
    const launch::VisibleDevices& visible) {
  if (job.cuda || job.recipe.devices.kind != DeviceKind::kAuto ||
      user.contains("CUDA_VISIBLE_DEVICES") || !has_cuda_plugin()) {
    return std::nullopt;
  }
  return fmt::format(
      "This build works with GPUs, and runs on the CPU here: {}. Install the "
      "NVIDIA driver, or start the container with the GPUs (docker run --gpus "
      "all); -devices cpu:{} says that the CPU is meant",
      visible.summary,
      workers);
}

} // namespace

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

bool needs_equal_machines(const config::Recipe& recipe) {
  return recipe.dist.sync.mode == config::SyncMode::kPostLocalSgd &&
      !recipe.dist.sync.group_size;
}

// Throws Error(kUsage) if workers use NCCL, and two of devices.ids are the same
// device, which NCCL does not support. Only the driver can resolve these names.
void check_twins(
    const Job& job,
    const std::vector<launch::DeviceSlot>& devices) {
  if (job.single_process() || !job.uses_nccl()) {
    return;
  }
  const std::vector<std::string>& ids = job.recipe.devices.ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      VITRAIN_CHECK(
          devices[i].ordinal != devices[k].ordinal,
          ExitCode::kUsage,
          "devices.ids: '{}' and '{}' are one device, {}: two workers on one "
          "device need dist.backend: gloo",
          printable(ids[k]),
          printable(ids[i]),
          devices[i].label());
    }
  }
}

void resolve_devices(PreparedJob& prepared, const Request& request) {
  Job& job = prepared.job;
  const launch::Environment user = launch::current_environment();
  prepared.cores = launch::available_cores();
  config::DevicesConfig& asked = job.recipe.devices;
  if (request.workers && asked.ids.empty() && asked.count == -1) {
    asked.count = *request.workers;
  }
  const launch::VisibleDevices visible = launch::visible_cuda_devices();
  prepared.devices = launch::choose_devices(
      device_request(job.recipe.devices), visible, prepared.cores);
  const int devices = static_cast<int>(prepared.devices.size());
  const int workers = job.single_process() ? 1 : devices;
  job.cuda = prepared.devices.front().kind == DeviceKind::kCuda;
  job.capability = least_capability(prepared.devices);
  if (auto why = why_no_gpu(job, devices, user, visible)) {
    prepared.notes.push_back(*std::move(why));
  }
  check_twins(job, prepared.devices);
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
    meet_nodes(prepared, request);
  } else {
    VITRAIN_CHECK(
        request.node_rank.value_or(0) == 0,
        ExitCode::kUsage,
        "-node_rank {}: the run has one machine; give -nnodes N "
        "(devices.nodes) "
        "as well",
        *request.node_rank);
    VITRAIN_CHECK(
        !request.master || prepared.origins.contains(kNodes),
        ExitCode::kUsage,
        "-master {}:{}: the run has one machine; give -nnodes N "
        "(devices.nodes) and -node_rank R as well",
        printable(request.master->host),
        request.master->port);
  }
  if (auto crowded = launch::crowding_note(workers, prepared.cores)) {
    prepared.notes.push_back(*std::move(crowded));
  }
  for (const std::string& warning :
       launch::environment_warnings(user, prepared.cores, devices)) {
    prepared.notes.push_back("warning: " + warning);
  }
}

} // namespace vitrain::job

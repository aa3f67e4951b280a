#include "launch/foreign/launchers.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/text.h"
#include "launch/foreign/incomplete_launch.h"
#include "launch/foreign/variables.h"
#include "launch/processes/worker_process.h"

namespace vitrain::launch {
namespace {

constexpr std::int64_t kMaxRanks = 1 << 20;
// First of Slurm's step ids that are not srun's: the batch script, the
// interactive shell of salloc.
constexpr std::int64_t kFirstSpecialStep = 0xfffffff0;

// A launcher, with the variables that all of its workers have.
struct Row {
  const char* name;
  const char* rank;
  const char* world;
  const char* local_rank;
  const char* local_world; // null: `complete` determines it
  // Returns true if these variables, when all are set, mean a launch; null:
  // always.
  bool (*means_launch)(const Variables&);
  void (*complete)(const Variables&, LaunchedPlace&);
};

void read_master(const Variables& variables, LaunchedPlace& place) {
  if (variables.has("MASTER_ADDR") && variables.has("MASTER_PORT")) {
    place.master_address = variables.text("MASTER_ADDR");
    place.master_port = variables.number("MASTER_PORT", 1, 65535);
  }
}

bool is_torchrun(const Variables& variables) {
  // vitrain's own workers, and processes that they start, have these variables
  // too.
  return variables.has("MASTER_ADDR") && variables.has("MASTER_PORT") &&
      !variables.has(variable::kJobFd);
}

void complete_torchrun(const Variables& variables, LaunchedPlace& place) {
  read_master(variables, place);
  place.store_is_running = variables.has("TORCHELASTIC_USE_AGENT_STORE") &&
      variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  place.attempt =
      static_cast<int>(variables.number_or("TORCHELASTIC_RESTART_COUNT", 0));
}

// Sets the launch id to the address of horovodrun's server: each worker has its
// own shell and process between itself and horovodrun, so no process id
// identifies a launch.
void complete_horovodrun(const Variables& variables, LaunchedPlace& place) {
  read_master(variables, place);
  if (variables.has("HOROVOD_GLOO_RENDEZVOUS_ADDR") &&
      variables.has("HOROVOD_GLOO_RENDEZVOUS_PORT")) {
    place.launch_id = variables.text("HOROVOD_GLOO_RENDEZVOUS_ADDR") + ":" +
        variables.text("HOROVOD_GLOO_RENDEZVOUS_PORT");
  }
}

// PADDLE_TRAINER_ENDPOINTS is "10.0.0.1:6070,10.0.0.1:6071,10.0.0.2:6070": one
// per rank, in order.
void complete_paddle(const Variables& variables, LaunchedPlace& place) {
  const auto endpoints = split(variables.text("PADDLE_TRAINER_ENDPOINTS"), ',');
  VITRAIN_CHECK(
      std::ssize(endpoints) == place.world_size,
      ExitCode::kUsage,
      "paddle: PADDLE_TRAINER_ENDPOINTS names {}, but PADDLE_TRAINERS_NUM is "
      "{}",
      counted(std::ssize(endpoints), "worker"),
      place.world_size);
  const auto host = [](const std::string& endpoint) {
    return endpoint.substr(0, endpoint.rfind(':'));
  };
  const auto rank = static_cast<std::size_t>(place.rank);
  place.local_world_size = 0;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    if (host(endpoints[i]) == host(endpoints[rank])) {
      place.local_rank += i < rank ? 1 : 0;
      ++place.local_world_size;
    }
  }
  const std::string& first = endpoints.front();
  std::int64_t port = 0;
  VITRAIN_CHECK(
      first.find(':') != std::string::npos &&
          parse_int(first.substr(first.rfind(':') + 1), port) && port >= 1 &&
          port <= 65535,
      ExitCode::kUsage,
      "paddle: PADDLE_TRAINER_ENDPOINTS begins with '{}': expected HOST:PORT",
      printable(first));
  place.master_address = host(first);
  place.master_port = static_cast<int>(port);
  if (variables.has("FLAGS_selected_gpus")) {
    place.device = variables.number("FLAGS_selected_gpus", 0, kMaxRanks);
  }
  place.attempt =
      static_cast<int>(variables.number_or("PADDLE_RESTART_COUNT", 0));
}

bool is_srun(const Variables& variables) {
  return variables.has("SLURM_STEP_ID") &&
      variables.number_or("SLURM_STEP_ID", kFirstSpecialStep) <
      kFirstSpecialStep &&
      // A shell on a terminal: the step's other tasks do not run this command.
      !variables.has("SLURM_PTY_PORT") &&
      // A single task trains on all devices that it sees.
      variables.number_or("SLURM_STEP_NUM_TASKS", 1) > 1;
}

void complete_slurm(const Variables& variables, LaunchedPlace& place) {
  const auto node = static_cast<int>(variables.number_or("SLURM_NODEID", 0));
  const int here = variables.has("SLURM_STEP_TASKS_PER_NODE")
      ? slurm_tasks_of_node(variables.text("SLURM_STEP_TASKS_PER_NODE"), node)
      : static_cast<int>(variables.number_or("SLURM_NTASKS_PER_NODE", 0));
  place.local_world_size = here > 0 ? here : std::max(1, place.local_rank + 1);
  read_master(variables, place);
  if (place.master_port == 0 && !place.one_node() &&
      variables.has("SLURM_STEP_NODELIST")) {
    place.master_address =
        first_slurm_host(variables.text("SLURM_STEP_NODELIST"));
    // All tasks of a step must compute the same port, and two steps on one
    // machine should rarely compute equal ports.
    constexpr std::int64_t kFirstPort = 20000;
    constexpr std::int64_t kPorts = 10000;
    const std::int64_t job = variables.number_or("SLURM_JOB_ID", 0);
    const std::int64_t step = variables.number_or("SLURM_STEP_ID", 0);
    place.master_port =
        static_cast<int>(kFirstPort + (job * 31 + step) % kPorts);
  }
}

// Inner launchers come first: in a Slurm allocation, mpirun starts its daemons
// with srun, whose variables the workers inherit.
constexpr std::array kRows{
    Row{"torchrun",
        "RANK",
        "WORLD_SIZE",
        "LOCAL_RANK",
        "LOCAL_WORLD_SIZE",
        &is_torchrun,
        &complete_torchrun},
    Row{"paddle",
        "PADDLE_TRAINER_ID",
        "PADDLE_TRAINERS_NUM",
        nullptr,
        nullptr,
        [](const Variables& variables) {
          return variables.has("PADDLE_TRAINER_ENDPOINTS");
        },
        &complete_paddle},
    Row{"horovodrun",
        "HOROVOD_RANK",
        "HOROVOD_SIZE",
        "HOROVOD_LOCAL_RANK",
        "HOROVOD_LOCAL_SIZE",
        nullptr,
        &complete_horovodrun},
    Row{"openmpi",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
        nullptr,
        &read_master},
    Row{"hydra",
        "PMI_RANK",
        "PMI_SIZE",
        "MPI_LOCALRANKID",
        "MPI_LOCALNRANKS",
        nullptr,
        &read_master},
    // MVAPICH, which is MPICH over InfiniBand.
    Row{"hydra",
        "MV2_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_SIZE",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "MV2_COMM_WORLD_LOCAL_SIZE",
        nullptr,
        &read_master},
    Row{"slurm",
        "SLURM_PROCID",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_LOCALID",
        nullptr,
        &is_srun,
        &complete_slurm},
    // Cray's launcher. Under srun, its variables contain less than Slurm's.
    Row{"hydra",
        "PMI_RANK",
        "PMI_SIZE",
        "PMI_LOCAL_RANK",
        "PMI_LOCAL_SIZE",
        [](const Variables& variables) {
          return !variables.has("SLURM_STEP_ID");
        },
        &read_master}};

bool all_set(const Row& row, const Variables& variables) {
  return variables.has(row.rank) && variables.has(row.world) &&
      (row.local_rank == nullptr || variables.has(row.local_rank));
}

// If `wanted` is "auto", returns the first row whose variables are all set and
// mean a launch; null if there is none. If it is a launcher's name, returns its
// first row whose variables are all set, or else its first row.
const Row* find_row(const Environment& environment, const std::string& wanted) {
  const Row* first = nullptr;
  for (const Row& row : kRows) {
    const Variables variables(environment, row.name);
    const bool complete = all_set(row, variables);
    if (wanted == row.name) {
      if (complete) {
        return &row;
      }
      first = first == nullptr ? &row : first;
    } else if (
        wanted == "auto" && complete &&
        (row.means_launch == nullptr || row.means_launch(variables))) {
      return &row;
    }
  }
  return first;
}

LaunchedPlace read_place(const Row& row, const Variables& variables) {
  LaunchedPlace place{.launcher = row.name, .rank_variable = row.rank};
  place.world_size = variables.number(row.world, 1, kMaxRanks);
  place.rank = variables.number(row.rank, 0, place.world_size - 1);
  if (row.local_world != nullptr) {
    place.local_world_size =
        variables.number(row.local_world, 1, place.world_size);
  }
  if (row.local_rank != nullptr) {
    place.local_rank = variables.number(
        row.local_rank,
        0,
        (row.local_world != nullptr ? place.local_world_size
                                    : place.world_size) -
            1);
  }
  row.complete(variables, place);
  VITRAIN_CHECK(
      place.local_rank < place.local_world_size &&
          place.local_world_size <= place.world_size,
      ExitCode::kUsage,
      "{}: rank {} of {} is said to be worker {} of {} on its node",
      row.name,
      place.rank,
      place.world_size,
      place.local_rank,
      place.local_world_size);
  return place;
}

} // namespace

std::string LaunchedPlace::label() const {
  return fmt::format(
      "rank {} of {} (worker {} of {} on its node), started by {}",
      rank,
      world_size,
      local_rank,
      local_world_size,
      launcher);
}

Detected detect_launcher(
    const Environment& environment,
    const std::string& wanted) {
  Detected result;
  if (wanted == "none") {
    return result;
  }
  const std::vector<std::string> known = launcher_names();
  VITRAIN_CHECK(
      wanted == "auto" || std::ranges::find(known, wanted) != known.end(),
      ExitCode::kUsage,
      "-launcher: expected auto, none, {}, got '{}'",
      join(known, ", "),
      printable(wanted));
  if (const Row* row = find_row(environment, wanted)) {
    result.place = read_place(*row, Variables(environment, row->name));
    return result;
  }
  const Variables variables(environment, "auto");
  if (variables.has(variable::kJobFd)) {
    return result; // a process started by one of vitrain's workers
  }
  result.incomplete = incomplete_mpi_launch(variables);
  if (!result.incomplete.empty()) {
    return result;
  }
  const FoundMachine found = find_launched_machine(environment);
  result.machine = found.machine;
  result.incomplete = found.incomplete;
  if (!result.machine && result.incomplete.empty()) {
    note_incomplete_launch(variables, result);
  }
  return result;
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    if (std::ranges::find(names, row.name) == names.end()) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

std::string first_slurm_host(const std::string& list) {
  std::string host;
  for (std::size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      host += list[i];
      continue;
    }
    const std::size_t close = std::min(list.find(']', i), list.size());
    const std::string inside = list.substr(i + 1, close - i - 1);
    host += inside.substr(0, inside.find_first_of(",-"));
    i = close;
  }
  return host;
}

int slurm_tasks_of_node(const std::string& list, int node) {
  int first = 0; // first node of the next piece
  for (const std::string& piece : split(list, ',')) {
    const std::size_t open = piece.find('(');
    std::int64_t tasks = 0;
    std::int64_t nodes = 1;
    if (!parse_int(piece.substr(0, open), tasks)) {
      return 0;
    }
    if (open != std::string::npos) {
      const std::size_t close = piece.find(')', open);
      if (close == std::string::npos || piece[open + 1] != 'x' ||
          !parse_int(piece.substr(open + 2, close - open - 2), nodes)) {
        return 0;
      }
    }
    if (node >= first && node < first + nodes) {
      return static_cast<int>(tasks);
    }
    first += static_cast<int>(nodes);
  }
  return 0;
}

} // namespace vitrain::launch

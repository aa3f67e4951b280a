#include "launch/foreign/incomplete_launch.h"

#include <array>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::launch {
namespace {

// Variables of one launcher. Without the local rank, its workers have no
// device.
struct MpiRow {
  const char* rank;
  const char* world; // null: the launcher has none
  const char* local_rank;
};

constexpr std::array kMpiRows{
    MpiRow{
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK"},
    MpiRow{"HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK"},
    MpiRow{
        "MV2_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_SIZE",
        "MV2_COMM_WORLD_LOCAL_RANK"},
    MpiRow{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    MpiRow{"PMIX_RANK", nullptr, "OMPI_COMM_WORLD_LOCAL_RANK"}};

// Values of -nnodes, -node_rank and -master to recommend, as far as they are
// known.
struct Advice {
  std::string nodes = "N";
  std::string node_rank = "R";
  std::string master = "HOST:PORT";
  std::string remark; // begins with a blank
};

// Returns the message for a process that is one of several, if its variables do
// not contain the address of the other processes.
std::string alone(
    const Variables& variables,
    const char* rank,
    const char* world,
    const std::string& missing,
    const Advice& advice) {
  std::vector<std::string> given;
  for (const char* name : {rank, world}) {
    if (name != nullptr && variables.has(name)) {
      given.push_back(
          fmt::format("{}={}", name, printable(variables.text(name))));
    }
  }
  return fmt::format(
      "{} {} of one process of several, but {} not set: where each of several "
      "machines starts vitrain once, add -nnodes {} -node_rank {} -master "
      "{}{}; "
      "`-launcher none` trains on this machine alone",
      join(given, " and "),
      given.size() == 1 ? "is that" : "are those",
      missing,
      printable(advice.nodes),
      printable(advice.node_rank),
      printable(advice.master),
      advice.remark);
}

// Returns the advice for a pod of a PyTorchJob: RANK is the pod's number, but
// WORLD_SIZE counts processes, PET_NPROC_PER_NODE in each pod.
Advice advice_for_pod(const Variables& variables) {
  Advice advice{
      .nodes = variables.text("WORLD_SIZE"),
      .node_rank = variables.text("RANK"),
      .master = fmt::format(
          "{}:{}",
          variables.text("MASTER_ADDR"),
          variables.has("MASTER_PORT") ? variables.text("MASTER_PORT")
                                       : "29500"),
      .remark = " (-nnodes counts machines, and WORLD_SIZE processes: give a "
                "smaller number where a machine has several)"};
  const std::int64_t world = variables.number_or("WORLD_SIZE", 1);
  const std::int64_t each = variables.number_or("PET_NPROC_PER_NODE", 1);
  if (each > 1 && world % each == 0) {
    advice.nodes = std::to_string(world / each);
    advice.remark = fmt::format(
        " (-nnodes counts machines, and WORLD_SIZE processes, of which each "
        "has {}: PET_NPROC_PER_NODE)",
        each);
  }
  return advice;
}

// Looks for an incomplete set of torchrun's variables, as container managers
// set it.
void look_for_torch(const Variables& variables, Detected& result) {
  if (!variables.has("RANK") || !variables.has("WORLD_SIZE")) {
    return;
  }
  std::vector<std::string> missing;
  for (const char* name : {"LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    if (!variables.has(name)) {
      missing.emplace_back(name);
    }
  }
  if (missing.empty()) {
    return;
  }
  const std::string list = join(missing, ", ");
  if (variables.has("MASTER_ADDR") &&
      variables.number_or("WORLD_SIZE", 1) > 1) {
    result.incomplete = alone(
        variables,
        "RANK",
        "WORLD_SIZE",
        list + (missing.size() == 1 ? " is" : " are"),
        advice_for_pod(variables));
    return;
  }
  result.notes.push_back(fmt::format(
      "RANK and WORLD_SIZE are set, but not {}, as torchrun sets them: they "
      "are ignored (-nnodes and -node_rank are for several machines)",
      list));
}

void look_for_paddle(const Variables& variables, Detected& result) {
  if (variables.has("PADDLE_TRAINER_ID") &&
      variables.number_or("PADDLE_TRAINERS_NUM", 1) > 1 &&
      !variables.has("PADDLE_TRAINER_ENDPOINTS")) {
    result.incomplete = alone(
        variables,
        "PADDLE_TRAINER_ID",
        "PADDLE_TRAINERS_NUM",
        "PADDLE_TRAINER_ENDPOINTS is",
        {.nodes = variables.text("PADDLE_TRAINERS_NUM"),
         .node_rank = variables.text("PADDLE_TRAINER_ID")});
  }
}

} // namespace

std::string incomplete_mpi_launch(const Variables& variables) {
  for (const MpiRow& row : kMpiRows) {
    // Under Slurm, a step that is no launch, such as a shell, may have these
    // variables.
    const bool inherited = std::string_view(row.rank).starts_with("PMI") &&
        variables.has("SLURM_STEP_ID");
    const std::int64_t world =
        row.world == nullptr ? 1 : variables.number_or(row.world, 1);
    if (!inherited && (world > 1 || variables.number_or(row.rank, 0) > 0)) {
      const bool has_world = row.world == nullptr || variables.has(row.world);
      const char* missing = !variables.has(row.rank) ? row.rank
          : !has_world                               ? row.world
                                                     : row.local_rank;
      return alone(
          variables, row.rank, row.world, std::string(missing) + " is", {});
    }
  }
  return "";
}

void note_incomplete_launch(const Variables& variables, Detected& result) {
  look_for_torch(variables, result);
  look_for_paddle(variables, result);
  if (variables.has("SLURM_PROCID") &&
      variables.number_or("SLURM_NTASKS", 1) > 1) {
    result.notes.push_back(fmt::format(
        "SLURM_NTASKS is {}, but this is not one of several tasks of srun: "
        "the devices of this node are used (`srun vitrain ...` makes every "
        "task a worker)",
        variables.text("SLURM_NTASKS")));
  }
}

} // namespace vitrain::launch

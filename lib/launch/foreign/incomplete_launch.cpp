#include "launch/foreign/incomplete_launch.h"

#include "core/text.h"
#include "launch/processes/worker.h"

namespace vitrain::launch {
namespace {

// The message for one process of several whose variables do not say how to
// reach the others.
std::string alone(
    const Variables& variables,
    const char* rank,
    const char* world,
    const std::string& missing,
    const std::string& master) {
  return fmt::format(
      "{}={} and {}={} are those of one process of several, but {} not set: "
      "where each of several machines starts vitrain once, add -nnodes {} "
      "-node_rank {} -master {}; `-launcher none` trains on this machine alone",
      rank,
      printable(variables.text(rank)),
      world,
      printable(variables.text(world)),
      missing,
      printable(variables.text(world)),
      printable(variables.text(rank)),
      printable(master));
}

// Some of torchrun's variables, as managers of containers set them.
void look_for_torch(const Variables& variables, Detected& result) {
  if (!variables.has("RANK") || !variables.has("WORLD_SIZE") ||
      variables.has(variable::kJobFd)) {
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
        fmt::format(
            "{}:{}",
            variables.text("MASTER_ADDR"),
            variables.has("MASTER_PORT") ? variables.text("MASTER_PORT")
                                         : "29500"));
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
        "HOST:PORT");
  }
}

} // namespace

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

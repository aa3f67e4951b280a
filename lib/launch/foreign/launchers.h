#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/foreign/launched_machine.h"
#include "launch/processes/environment.h"

namespace vitrain::launch {

// Position of this process among the workers of another launcher.
struct LaunchedPlace {
  std::string launcher; // "torchrun", ...: see launcher_names()
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  std::string master_address; // empty: not specified by the launcher
  int master_port = 0; // 0: not specified
  // True: a store of the launcher listens on master_port of master_address.
  // Rank 0 connects to it as a client, because serving there would fail with
  // "address already in use".
  bool store_is_running = false;
  int attempt = 0; // number of restarts by the launcher
  // Index among the visible CUDA devices, if the launcher chose one; nullopt:
  // choose_launched_device() decides.
  std::optional<int> device;
  // Name of the variable for the rank, which the launcher's own process does
  // not have.
  std::string rank_variable;
  // Identifies a launch; equal for all its workers. Empty if the launcher
  // provides no id; then the launcher is a single process above all workers of
  // a machine, and its pid identifies the launch.
  std::string launch_id;

  bool one_node() const { return local_world_size == world_size; }
  // Returns "rank 1 of 4 (worker 1 of 2 on its node), started by torchrun".
  std::string label() const;
};

struct Detected {
  std::optional<LaunchedPlace> place; // nullopt: not a launcher's worker
  // Set if a manager started this program once on each machine: this process
  // then starts the workers of its own machine.
  std::optional<LaunchedMachine> machine;
  // Sentences about variables that look like a launcher's but are not taken as
  // a launch.
  std::vector<std::string> notes;
  // If not empty, a message: the variables show that this process is one of
  // several, but not how to join the other processes, and training alone would
  // be wrong. Ignored with -node_rank.
  std::string incomplete;
};

// Finds the launcher that an environment describes: torchrun, Paddle's launch,
// horovodrun, Open MPI's mpirun, Hydra's (MPICH, Intel MPI, MVAPICH, Cray),
// srun. If one launcher was started inside another, the inner one counts. If
// there is none, looks for one of several machines (find_launched_machine()).
// Variables that were inherited from a shell or a batch script are not taken as
// a launch: those of a lone task of srun, a task with a terminal, the script of
// sbatch, and RANK without LOCAL_RANK (which together with MASTER_ADDR is an
// incomplete launch, as in one pod of several).
//
// `wanted` is `auto`, `none`, or a launcher's name, whose variables must then
// be set. Throws Error(kUsage) if they are not, or contradict one another, and
// for other names.
Detected detect_launcher(
    const Environment& environment,
    const std::string& wanted = "auto");

// Returns the names of launchers, the values of `wanted` besides `auto` and
// `none`.
std::vector<std::string> launcher_names();

// Returns the first host of Slurm's compact list: "n[010-012,20],m1" is "n010".
std::string first_slurm_host(const std::string& list);

// Returns the number of tasks of node `node` in Slurm's compact list: in
// "2(x3),1", nodes 0 to 2 have 2 tasks and node 3 has 1. 0 if the list is
// malformed or does not have the node.
int slurm_tasks_of_node(const std::string& list, int node);

} // namespace vitrain::launch

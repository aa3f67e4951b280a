#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/foreign/environment.h"
#include "launch/foreign/launched_machine.h"

namespace vitrain::launch {

// Position of this process among the workers of another launcher.
struct LaunchedPlace {
  std::string launcher; // "torchrun", ...: see launcher_names()
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  std::string master_address; // empty: the launcher does not say
  int master_port = 0;
  // The launcher's own store listens at that address, so rank 0 connects to it
  // as a client; serving there would fail with "address already in use" under
  // torchrun.
  bool store_is_running = false;
  int attempt = 0; // number of restarts by the launcher
  // Index among the visible CUDA devices, if the launcher chose one; otherwise
  // the local rank decides.
  std::optional<int> device;
  // Variable with the rank; the launcher itself does not have it.
  std::string rank_variable;
  // Identifies a launch; equal for all its workers. Empty if the launcher
  // provides none; it is then a single process above all workers of a machine.
  std::string launch_id;

  bool one_node() const { return local_world_size == world_size; }
  // "rank 1 of 4 (local rank 1 of 2), started by torchrun".
  std::string label() const;
};

struct Detected {
  std::optional<LaunchedPlace> place; // nothing: start workers as usual
  std::optional<LaunchedMachine> machine; // start the workers of one of several
  // Variables that look like a launcher's and are not taken for one, a sentence
  // each.
  std::vector<std::string> notes;
  // If not empty: the variables show that this process is one of several, but
  // not how to join the others; training alone would be wrong. Ignored with
  // -node_rank.
  std::string incomplete;
};

// Looks for a launcher in an environment: torchrun, Paddle's launch,
// horovodrun, Open MPI's mpirun, Hydra's (MPICH, Intel MPI, MVAPICH, Cray),
// srun; where one was started inside another, the inner one counts. Without one
// of them, for a machine of several (find_launched_machine()). Variables that a
// shell or a batch script has inherited are not taken for a launch: a lone task
// of srun, a task with a terminal, the script of sbatch, RANK without
// LOCAL_RANK (which with MASTER_ADDR is an incomplete one, as of a pod of
// several).
//
// `wanted` is `auto`, `none`, or a launcher's name, whose variables must then
// be there. Throws Error(kUsage) when they are not, or contradict one another.
Detected detect_launcher(
    const Environment& environment,
    const std::string& wanted = "auto");

// Returns the values of `wanted` besides `auto` and `none`.
std::vector<std::string> launcher_names();

// The first host of Slurm's compact list: "n[010-012,20],m1" is "n010".
std::string first_slurm_host(const std::string& list);

// How many tasks node `node` has by Slurm's compact list: of "2(x3),1", nodes 0
// to 2 have 2 and node 3 has 1. 0 when the list does not say.
int slurm_tasks_of_node(const std::string& list, int node);

} // namespace vitrain::launch

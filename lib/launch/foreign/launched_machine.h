#pragma once

#include <optional>
#include <string>

#include "launch/processes/environment.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::launch {

// One of several machines or pods, on each of which a manager has started this
// program once. The program starts the workers of its machine itself.
struct LaunchedMachine {
  std::string nodes_variable; // "PET_NNODES"
  std::string workers_variable; // "PET_NPROC_PER_NODE"
  int nodes = 1;
  int node_rank = 0;
  HostPort master; // only with several machines
  std::optional<int> workers; // on this machine; nullopt: not specified
};

struct FoundMachine {
  std::optional<LaunchedMachine> machine;
  // Message about missing variables, without which the machines cannot connect,
  // or about a range of machines (2:4), which is not supported; "": no problem.
  std::string incomplete;
};

// Reads the variables that replace a launcher's options: torchrun's
// (PET_NNODES, ...), which Kubeflow's operators set in each pod, and those of
// Paddle's launch (PADDLE_NNODES, ...). Throws Error(kUsage) if they are not
// valid numbers or contradict one another.
FoundMachine find_launched_machine(const Environment& environment);

} // namespace vitrain::launch

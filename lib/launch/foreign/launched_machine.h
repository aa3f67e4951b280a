#pragma once

#include <optional>
#include <string>

#include "launch/foreign/environment.h"
#include "launch/nodes/rendezvous.h"

namespace vitrain::launch {

// One machine or pod of several. Its manager has started this program once on
// each; the program starts the workers of its machine itself.
struct LaunchedMachine {
  std::string nodes_variable; // "PET_NNODES"
  std::string workers_variable; // "PET_NPROC_PER_NODE"
  int nodes = 1;
  int node_rank = 0;
  HostPort master; // with several machines
  std::optional<int> workers; // of this machine; nothing: not said
};

struct FoundMachine {
  std::optional<LaunchedMachine> machine;
  // Message that names the variables without which the machines cannot be
  // joined; "": nothing is missing.
  std::string incomplete;
};

// Reads the variables that stand for a launcher's options: torchrun's
// (PET_NNODES, ...), which Kubeflow's operators set in each pod, and those of
// Paddle's launch (PADDLE_NNODES, ...). Throws Error(kUsage) when they hold no
// numbers or contradict one another.
FoundMachine find_launched_machine(const Environment& environment);

} // namespace vitrain::launch

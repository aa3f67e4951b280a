#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dist/group/group.h"
#include "dist/group/mailbox.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::dist {

// How a worker finds its peers.
struct Rendezvous {
  int rank = 0;
  int size = 1;
  std::string address = "127.0.0.1";
  int port = 0;
  // Rank 0: the socket that its store adopts. Without one, `serves` says
  // whether it opens the port itself or finds a running store there.
  int listen_fd = -1;
  bool serves = true;
  std::string prefix; // of all keys, where the store outlives the workers
  // Where Gloo listens: an address of this machine that the peers reach, or the
  // interface of that name when it is not empty.
  std::string own_address = "127.0.0.1";
  std::string interface;
  double setup_timeout = 600.0; // seconds until all ranks must be there
  double timeout = 1800.0; // seconds for one collective
  // Non-null: the data group is NCCL on CUDA devices, else Gloo.
  const CudaPlugin* nccl = nullptr;
};

// The two groups of a job: `data` carries gradients and parameters, `control`
// (always Gloo, on CPU tensors) barriers, votes and metrics, so that a long
// phase on the host never looks like a hang on the devices.
struct Groups {
  std::unique_ptr<Group> data;
  std::unique_ptr<Group> control;
  // Returns this rank's group for tensors in blocks of `size` consecutive
  // ranks; `size` divides the number of ranks. Created on the first call and
  // cached. Collective.
  Group& data_block(int size);

  // Closes all groups, in the same order on every rank. Collective.
  void shutdown();

  // Connects mailbox `place` of `places`; collective over them. May be called
  // on several threads at a time.
  std::function<std::unique_ptr<Mailbox>(int place, int places)>
      connect_mailbox{};

  // Connects the ranks of one block; null for a single worker.
  std::function<std::unique_ptr<Group>(int size)> connect_block{};
  std::map<int, std::unique_ptr<Group>> blocks{}; // by size
};

// Connects to all peers. Collective: returns when all `size` ranks have called
// it. Throws Error(kWorkerDied) when they have not within setup_timeout, naming
// the ranks that did not come.
Groups connect(const Rendezvous& rendezvous);

} // namespace vitrain::dist

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

// Facts by which a worker finds its peers.
struct Rendezvous {
  int rank = 0;
  int size = 1;
  // Address and port of the store, at which all ranks meet.
  std::string address = "127.0.0.1";
  int port = 0;
  // Rank 0: listening socket that its store adopts. If -1, `serves` says
  // whether the store opens the port itself (true) or is already running at the
  // address (false).
  int listen_fd = -1;
  bool serves = true;
  // Prefix of all keys in the store; separates the runs of a store that
  // outlives its workers.
  std::string prefix;
  // Address of this machine on which Gloo listens and which the peers can
  // reach. `interface`, if not empty, names a network interface to use instead.
  std::string own_address = "127.0.0.1";
  std::string interface;
  double setup_timeout = 600.0; // seconds until all ranks must have connected
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
  // Returns the data group of the block of `size` consecutive ranks that
  // contains this rank; `size` divides the number of ranks. Created on the
  // first call and cached. Collective.
  Group& data_block(int size);

  // Closes all groups, in the same order on every rank. Collective.
  void shutdown();

  // Connects mailbox number `place` of `places`. Collective over all mailboxes.
  // May be called on several threads at a time.
  std::function<std::unique_ptr<Mailbox>(int place, int places)>
      connect_mailbox{};

  // Connects the ranks of one block; empty for a single worker.
  std::function<std::unique_ptr<Group>(int size)> connect_block{};
  std::map<int, std::unique_ptr<Group>> blocks{}; // by number of ranks
};

// Connects to all peers. Collective: returns when all `size` ranks have called
// it. Throws Error(kWorkerDied) if connecting fails; names the ranks that have
// not called it within setup_timeout.
Groups connect(const Rendezvous& rendezvous);

} // namespace vitrain::dist

#pragma once

#include <string>

namespace vitrain::launch {

// The workers of one launcher on one node agree on a port that none of them
// knows beforehand: rank 0 listens on an abstract Unix socket named after the
// launch, and answers processes of the same user only.
struct PortExchange {
  std::string socket; // the same name for all workers of one launch
  int rank = 0;
  int size = 1;
  double timeout = 600; // seconds
};

// Sends rank 0's `port` to all ranks. Returns it. Collective. Throws
// Error(kWorkerDied) that names the ranks that did not arrive in time.
int exchange_port(const PortExchange& exchange, int port);

// The socket's name for the workers of `launch` (LaunchedPlace::launch_id, or
// the id of the launcher's process), when they are started for the
// `attempt`-th time.
std::string exchange_socket_name(const std::string& launch, int attempt);

} // namespace vitrain::launch

#pragma once

#include <string>

namespace vitrain::launch {

// Exchange of a port, which only rank 0 knows, among the workers of one
// launcher on one node. Rank 0 listens on an abstract Unix socket named after
// the launch, and answers only processes of the same user.
struct PortExchange {
  std::string socket; // the same name for all workers of one launch
  int rank = 0;
  int size = 1;
  double timeout = 600; // seconds
};

// Sends rank 0's `port` to all ranks. Returns it. Collective. Throws
// Error(kWorkerDied) that names the ranks that did not arrive in time;
// Error(kUsage) if rank 0 finds the socket's name taken.
int exchange_port(const PortExchange& exchange, int port);

// Returns the socket's name for the workers of `launch`
// (LaunchedPlace::launch_id, or to_text() of the launcher's process) in attempt
// `attempt` (LaunchedPlace::attempt).
std::string exchange_socket_name(const std::string& launch, int attempt);

} // namespace vitrain::launch

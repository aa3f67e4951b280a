#pragma once

#include "core/files.h"

namespace vitrain::launch {

// Where the workers of one node meet: a socket bound to 127.0.0.1 on a port
// that the kernel chose, already listening. Rank 0 inherits the socket and its
// TCPStore adopts it, so there is no port to configure and no race for it.
struct Rendezvous {
  Fd socket;
  int port = 0;
};

// Throws Error(kInternal) with the reason.
Rendezvous listen_on_loopback();

} // namespace vitrain::launch

#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include "core/files/files.h"

namespace vitrain::launch {

// Where workers meet: a listening socket that rank 0 inherits and its TCPStore
// adopts, so that there is no race for the port.
struct Rendezvous {
  Fd socket;
  int port = 0;
};

// On 127.0.0.1, a port that the kernel chooses: for the workers of one node.
// Throws Error(kInternal) with the reason.
Rendezvous listen_on_loopback();

// On the given port (0: one that the kernel chooses) of every address of this
// machine, or of `host` only when that is a loopback address. Throws
// Error(kUsage) when the port is in use.
Rendezvous listen_for_nodes(const std::string& host, int port);

// 127.0.0.0/8 or ::1.
bool is_loopback(const std::string& address);

struct FreeAddresses {
  void operator()(addrinfo* info) const { ::freeaddrinfo(info); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// The addresses of a host, and of a port on it unless that is "", for TCP;
// none, and getaddrinfo's `error`, where it has none.
Addresses resolve(const std::string& host, const std::string& port, int& error);

// "10.0.0.1", also of an IPv4 address on a socket for both.
std::string numeric_address(const sockaddr_storage& address, socklen_t size);

struct HostPort {
  std::string host;
  int port = 0;
};

// "node1:29500", "10.0.0.1:29500", "[::1]:29500". Throws Error(kUsage) naming
// `option`.
HostPort parse_host_port(const std::string& text, const std::string& option);

// The address of this machine from which `host` is reached: the one whose
// interface the routing table chooses, never that of a host name, which often
// resolves to 127.0.1.1. Where `host` leads to loopback although there are
// other machines (`one_node` false), the address of the default route. Throws
// Error(kWorkerDied) when `host` has no address or no route.
std::string local_address_towards(const std::string& host, bool one_node);

} // namespace vitrain::launch

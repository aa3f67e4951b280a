#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include "core/system/files.h"

namespace vitrain::launch {

// Listening socket for the workers' rendezvous. Rank 0 inherits it and its
// TCPStore adopts it, so that no other process can take the port.
struct ListeningSocket {
  Fd socket;
  int port = 0;
};

// Listens on 127.0.0.1 at a port that the kernel chooses, for the workers of
// one node. Throws Error with the reason: kUsage if the loopback interface is
// down, else kInternal.
ListeningSocket listen_on_loopback();

// Listens on `port` (0: chosen by the kernel) of one address: of 127.0.0.1 if
// `host` is "localhost" or an IPv4 loopback address; of the only address of
// `host` if that is one of this machine's. Otherwise listens on every address
// of this machine: also for a name of a loopback address, as other machines
// resolve that name differently. Throws Error(kUsage) if it cannot listen on
// the port, Error(kInternal) if none can be chosen.
ListeningSocket listen_for_nodes(const std::string& host, int port);

// Returns true for addresses in 127.0.0.0/8 and ::1.
bool is_loopback(const std::string& address);

struct FreeAddresses {
  void operator()(addrinfo* info) const { ::freeaddrinfo(info); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// Returns the TCP addresses of a host with a port ("": no port). If there is no
// address, returns null and sets `error` to getaddrinfo's code.
Addresses resolve(const std::string& host, const std::string& port, int& error);

// Returns an address as text: "10.0.0.1", also if it is an IPv4 address mapped
// to IPv6; "" on failure.
std::string numeric_address(const sockaddr_storage& address, socklen_t size);

struct HostPort {
  std::string host;
  int port = 0;
};

// Parses "node1:29500", "10.0.0.1:29500" or "[::1]:29500". Throws Error(kUsage)
// naming the command-line option `option`.
HostPort parse_host_port(const std::string& text, const std::string& option);

// Returns this machine's address on the route to `host`, not the address of the
// host name, which often resolves to 127.0.1.1. If `host` resolves to loopback
// although there are other machines (`one_node` false), returns the address of
// the default route, if there is one. Throws Error(kWorkerDied) if `host` has
// no address or no route.
std::string local_address_towards(const std::string& host, bool one_node);

} // namespace vitrain::launch

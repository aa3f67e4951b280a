#include "launch/processes/rendezvous.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {
namespace {

// Returns the address from which a packet to `target` would be sent; "" without
// a route. Sends no packet.
std::string source_address(const addrinfo& target) {
  const Fd fd(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage to{};
  std::memcpy(&to, target.ai_addr, target.ai_addrlen);
  // Any port will do, except 0, for which connect() fails on some systems. The
  // port is at the same offset in both address families.
  reinterpret_cast<sockaddr_in*>(&to)->sin_port = htons(9);
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  if (!fd ||
      ::connect(
          fd.get(), reinterpret_cast<sockaddr*>(&to), target.ai_addrlen) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&from), &size) != 0) {
    return "";
  }
  return numeric_address(from, size);
}

std::string source_towards(const std::string& host) {
  int error = 0;
  const Addresses addresses = resolve(host, "", error);
  VITRAIN_CHECK(
      error == 0,
      ExitCode::kWorkerDied,
      "no address for the master '{}': {}",
      printable(host),
      ::gai_strerror(error));
  for (const addrinfo* one = addresses.get(); one != nullptr;
       one = one->ai_next) {
    if (std::string source = source_address(*one); !source.empty()) {
      return source;
    }
  }
  return "";
}

// Returns a socket bound to 127.0.0.1, or to all addresses of this machine:
// IPv6 and IPv4, or only IPv4 if the machine has no IPv6.
Fd bound_socket(bool loopback, int port) {
  const int yes = 1;
  const int no = 0;
  const auto swapped = htons(static_cast<std::uint16_t>(port));
  const auto bind_to = [&](int family, const auto& address) {
    Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd && port != 0) {
      // Closed connections do not block the port.
      ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    if (fd && family == AF_INET6) {
      ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    }
    return fd &&
            ::bind(
                fd.get(),
                reinterpret_cast<const sockaddr*>(&address),
                sizeof address) == 0 &&
            ::listen(fd.get(), SOMAXCONN) == 0
        ? std::move(fd)
        : Fd();
  };
  if (!loopback) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = swapped;
    Fd fd = bind_to(AF_INET6, any);
    if (fd || errno == EADDRINUSE) {
      return fd;
    }
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(loopback ? INADDR_LOOPBACK : INADDR_ANY);
  address.sin_port = swapped;
  return bind_to(AF_INET, address);
}

ListeningSocket listen_on(bool loopback, int port) {
  Fd fd = bound_socket(loopback, port);
  const int error = errno;
  VITRAIN_CHECK(
      fd || port == 0,
      ExitCode::kUsage,
      "cannot listen on port {} of this machine: {}. Another run, or anything "
      "else, has it: choose another port for the master",
      port,
      error_text(error));
  VITRAIN_CHECK(
      fd,
      ExitCode::kInternal,
      "cannot listen on {}, where the workers meet: {}. Is the loopback "
      "interface up?",
      loopback ? "127.0.0.1" : "this machine's addresses",
      error_text(error));
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  ListeningSocket result;
  // The port is at the same offset in both address families.
  result.port = ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  result.socket = above_standard_streams(std::move(fd));
  return result;
}

} // namespace

Addresses
resolve(const std::string& host, const std::string& port, int& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  error = ::getaddrinfo(
      host.c_str(), port.empty() ? nullptr : port.c_str(), &hints, &found);
  return Addresses(error == 0 ? found : nullptr);
}

std::string numeric_address(const sockaddr_storage& address, socklen_t size) {
  char text[NI_MAXHOST] = {};
  ::getnameinfo(
      reinterpret_cast<const sockaddr*>(&address),
      size,
      text,
      sizeof text,
      nullptr,
      0,
      NI_NUMERICHOST);
  const std::string result = text;
  // Prefix of an IPv4 address on an IPv6 socket.
  constexpr std::string_view kMapped = "::ffff:";
  return result.starts_with(kMapped) ? result.substr(kMapped.size()) : result;
}

ListeningSocket listen_on_loopback() {
  return listen_on(/*loopback=*/true, 0);
}

ListeningSocket listen_for_nodes(const std::string& host, int port) {
  in_addr literal{};
  const bool loopback = host == "localhost" ||
      (::inet_pton(AF_INET, host.c_str(), &literal) == 1 && is_loopback(host));
  return listen_on(loopback, port);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

HostPort parse_host_port(const std::string& text, const std::string& option) {
  const std::size_t colon = text.rfind(':');
  std::int64_t port = 0;
  VITRAIN_CHECK(
      colon != std::string::npos && colon > 0 &&
          parse_int(text.substr(colon + 1), port) && port >= 1 && port <= 65535,
      ExitCode::kUsage,
      "{}: expected HOST:PORT, as in node1:29500, got '{}'",
      option,
      printable(text));
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return {.host = host, .port = static_cast<int>(port)};
}

std::string local_address_towards(const std::string& host, bool one_node) {
  std::string source = source_towards(host);
  VITRAIN_CHECK(
      !source.empty(),
      ExitCode::kWorkerDied,
      "no route to the master '{}': is it the right address, and is this "
      "machine's network up?",
      printable(host));
  if (is_loopback(source) && !one_node) {
    // An address in TEST-NET-1, outside any local network; nothing is sent to
    // it.
    const std::string other = source_towards("192.0.2.1");
    if (!other.empty()) {
      source = other;
    }
  }
  return source;
}

} // namespace vitrain::launch

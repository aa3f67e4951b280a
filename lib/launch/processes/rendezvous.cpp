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

// Returns a copy of an address with a port. The port is at the same offset in
// both address families.
sockaddr_storage with_port(const sockaddr* address, socklen_t size, int port) {
  sockaddr_storage result{};
  std::memcpy(&result, address, size);
  reinterpret_cast<sockaddr_in*>(&result)->sin_port =
      htons(static_cast<std::uint16_t>(port));
  return result;
}

// Returns a socket that listens at an address; if that is IPv6's "any", also at
// those of IPv4. Empty on failure, with errno.
Fd listener_at(const sockaddr_storage& address) {
  const int yes = 1;
  const int no = 0;
  const bool ipv6 = address.ss_family == AF_INET6;
  Fd fd(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd && reinterpret_cast<const sockaddr_in*>(&address)->sin_port != 0) {
    // Closed connections do not block the port.
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (fd && ipv6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  const socklen_t size = ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  const bool listens = fd &&
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) ==
          0 &&
      ::listen(fd.get(), SOMAXCONN) == 0;
  return listens ? std::move(fd) : Fd();
}

Fd listener_on_loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return listener_at(with_port(
      reinterpret_cast<const sockaddr*>(&address), sizeof address, port));
}

// Listens at every address of this machine: IPv6 and IPv4, or only IPv4 if the
// machine has no IPv6. Empty on failure, with errno.
Fd listener_everywhere(int port) {
  for (const int family : {AF_INET6, AF_INET}) {
    sockaddr any{};
    any.sa_family = static_cast<sa_family_t>(family);
    Fd fd = listener_at(with_port(&any, sizeof any, port));
    if (fd || errno == EADDRINUSE) {
      return fd;
    }
  }
  return {};
}

ListeningSocket listening(Fd fd, const char* place, int port) {
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
      "cannot listen on {}, where the workers meet: {}",
      place,
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
  VITRAIN_CHECK(
      !source_towards("127.0.0.1").empty(),
      ExitCode::kUsage,
      "no route to 127.0.0.1, where the workers of this machine meet: the "
      "loopback interface is down (`ip link set lo up` as root)");
  return listening(listener_on_loopback(0), "127.0.0.1", 0);
}

ListeningSocket listen_for_nodes(const std::string& host, int port) {
  in_addr literal{};
  if (host == "localhost" ||
      (::inet_pton(AF_INET, host.c_str(), &literal) == 1 &&
       is_loopback(host))) {
    return listening(listener_on_loopback(port), "127.0.0.1", port);
  }
  int error = 0;
  const Addresses found = resolve(host, "", error);
  if (error == 0 && found->ai_next == nullptr) {
    const sockaddr_storage address =
        with_port(found->ai_addr, found->ai_addrlen, port);
    // A name may stand for loopback in /etc/hosts of this machine alone.
    if (!is_loopback(numeric_address(address, found->ai_addrlen))) {
      Fd fd = listener_at(address);
      if (fd || errno == EADDRINUSE) {
        return listening(std::move(fd), host.c_str(), port);
      }
    }
  }
  return listening(listener_everywhere(port), "this machine's addresses", port);
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

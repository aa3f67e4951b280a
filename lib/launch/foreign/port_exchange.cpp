#include "launch/foreign/port_exchange.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <set>

#include "core/check.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::launch {
namespace {

// Returns an abstract address: it has no file, and vanishes with its socket.
sockaddr_un address_of(const std::string& name, socklen_t& size) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  assert(name.size() + 1 < sizeof address.sun_path);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

bool same_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
      peer.uid == ::getuid();
}

// Reads one int before the deadline; returns false if it does not arrive.
bool read_int(int fd, int& value, double deadline) {
  const double left = deadline - monotonic_seconds();
  return left > 0 && wait_for_events(fd, POLLIN, left) &&
      ::recv(fd, &value, sizeof value, MSG_WAITALL) == sizeof value;
}

void tell_all(const PortExchange& exchange, int listener, int port) {
  const double deadline = monotonic_seconds() + exchange.timeout;
  std::set<int> missing;
  for (int rank = 1; rank < exchange.size; ++rank) {
    missing.insert(rank);
  }
  while (!missing.empty()) {
    const double left = deadline - monotonic_seconds();
    VITRAIN_CHECK(
        left > 0,
        ExitCode::kWorkerDied,
        "rank{} {} of {} did not come within {:g} s: did the launcher start "
        "them on this machine? (on several, set MASTER_ADDR and MASTER_PORT, "
        "or give -master HOST:PORT)",
        missing.size() == 1 ? "" : "s",
        fmt::join(missing, ", "),
        exchange.size,
        exchange.timeout);
    if (!wait_for_events(listener, POLLIN, left)) {
      continue;
    }
    const Fd peer(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    int rank = -1;
    constexpr double kAnswerSeconds = 5;
    if (peer && same_user(peer.get()) &&
        read_int(peer.get(), rank, monotonic_seconds() + kAnswerSeconds) &&
        ::send(peer.get(), &port, sizeof port, MSG_NOSIGNAL) == sizeof port) {
      missing.erase(rank);
    }
  }
}

int ask(const PortExchange& exchange) {
  socklen_t size = 0;
  const sockaddr_un address = address_of(exchange.socket, size);
  const double deadline = monotonic_seconds() + exchange.timeout;
  while (monotonic_seconds() < deadline) {
    const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int port = 0;
    if (fd &&
        ::connect(
            fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
        same_user(fd.get()) &&
        ::send(fd.get(), &exchange.rank, sizeof exchange.rank, MSG_NOSIGNAL) ==
            sizeof exchange.rank &&
        read_int(fd.get(), port, deadline)) {
      return port;
    }
    constexpr int kRetryMicroseconds = 20000;
    ::usleep(kRetryMicroseconds);
  }
  fail(
      ExitCode::kWorkerDied,
      "rank {} of {} did not find rank 0 on this machine within {:g} s: did it "
      "start? (on several machines set MASTER_ADDR and MASTER_PORT, or give "
      "-master HOST:PORT)",
      exchange.rank,
      exchange.size,
      exchange.timeout);
}

} // namespace

std::string exchange_socket_name(const std::string& launch, int attempt) {
  return fmt::format("vitrain-{}-{}-{}", ::getuid(), launch, attempt);
}

int exchange_port(const PortExchange& exchange, int port) {
  if (exchange.rank != 0) {
    return ask(exchange);
  }
  socklen_t size = 0;
  const sockaddr_un address = address_of(exchange.socket, size);
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  VITRAIN_CHECK(
      listener &&
          ::bind(
              listener.get(),
              reinterpret_cast<const sockaddr*>(&address),
              size) == 0 &&
          ::listen(listener.get(), SOMAXCONN) == 0,
      ExitCode::kUsage,
      "cannot meet the other workers of this machine: {}. Has the launcher "
      "started rank 0 twice?",
      error_text(errno));
  tell_all(exchange, listener.get(), port);
  return port;
}

} // namespace vitrain::launch

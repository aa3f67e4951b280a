#include "launch/supervise/node_line.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/system/clock.h"
#include "core/text.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::launch {
namespace {

constexpr std::size_t kLongestMessage = 1 << 20;

std::string address_of(int fd, bool peer) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int error = peer ? ::getpeername(fd, generic, &size)
                         : ::getsockname(fd, generic, &size);
  return error == 0 ? numeric_address(address, size) : "unknown address";
}

void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// Makes the kernel probe the peer: a machine that is switched off closes
// nothing.
void notice_dead_peers(int fd) {
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

} // namespace

NodeLine::NodeLine(Fd fd) : fd_(std::move(fd)), heard_(monotonic_seconds()) {
  set_option(fd_.get(), SOL_SOCKET, SO_SNDBUF, 1 << 18);
  notice_dead_peers(fd_.get());
}

std::string NodeLine::own_address() const {
  return address_of(fd_.get(), /*peer=*/false);
}

std::string NodeLine::peer_address() const {
  return address_of(fd_.get(), /*peer=*/true);
}

void NodeLine::send(const Json& message) {
  out_ += to_line(message) + "\n";
  write();
}

std::vector<std::string> NodeLine::receive() {
  write();
  char buffer[4096];
  while (fd_) {
    const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
      in_.append(buffer, static_cast<std::size_t>(got));
      heard_ = monotonic_seconds();
      if (in_.size() > kLongestMessage) {
        close("sent what is no message");
      }
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    }
    if (got < 0 && errno == EINTR) {
      continue;
    }
    close(got == 0 ? "closed the connection" : error_text(errno));
  }
  std::vector<std::string> messages = split(in_, '\n');
  in_ = std::move(messages.back());
  messages.pop_back();
  return messages;
}

void NodeLine::flush(double seconds) {
  const double end = monotonic_seconds() + seconds;
  while (fd_ && !out_.empty() && monotonic_seconds() < end) {
    wait_for_events(fd_.get(), POLLOUT, 0.05);
    write();
  }
}

void NodeLine::write() {
  while (fd_ && !out_.empty()) {
    const ssize_t sent = ::send(
        fd_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      // The next read reports the error.
      return;
    }
    out_.erase(0, static_cast<std::size_t>(sent));
  }
}

void NodeLine::close(const std::string& problem) {
  problem_ = problem;
  fd_.reset();
}

} // namespace vitrain::launch

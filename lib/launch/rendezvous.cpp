#include "launch/rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/check.h"
#include "launch/descriptors.h"

namespace vitrain::launch {

Rendezvous listen_on_loopback() {
  Rendezvous result;
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = 0;
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  VITRAIN_CHECK(
      fd && ::bind(fd.get(), generic, size) == 0 &&
          ::listen(fd.get(), SOMAXCONN) == 0 &&
          ::getsockname(fd.get(), generic, &size) == 0,
      ExitCode::kInternal,
      "cannot listen on 127.0.0.1, where the workers meet: {}. Is the loopback "
      "interface up?",
      error_text(errno));
  result.socket = above_standard_streams(std::move(fd));
  result.port = ntohs(address.sin_port);
  return result;
}

} // namespace vitrain::launch

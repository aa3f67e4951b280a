// How the supervisors of a run find one another: the constructor's part of
// node_link.h.

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "core/text.h"
#include "launch/heartbeat.h"
#include "launch/node_line.h"
#include "launch/node_link.h"

namespace vitrain::launch {
namespace {

constexpr int kProtocol = 1;
constexpr double kHelloSeconds = 10;

Fd connect_once(const HostPort& master, double seconds, std::string& problem) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(master.port);
  const int error =
      ::getaddrinfo(master.host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    problem = ::gai_strerror(error);
    return Fd();
  }
  Fd result;
  for (const addrinfo* one = found; one != nullptr && !result;
       one = one->ai_next) {
    Fd fd(::socket(
        one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int status = ::connect(fd.get(), one->ai_addr, one->ai_addrlen);
    pollfd waiting{.fd = fd.get(), .events = POLLOUT, .revents = 0};
    if (status != 0 && errno == EINPROGRESS &&
        ::poll(&waiting, 1, static_cast<int>(seconds * 1e3)) == 1) {
      socklen_t size = sizeof status;
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &status, &size);
      errno = status;
    }
    if (status == 0) {
      result = std::move(fd);
    } else {
      problem = errno == EINPROGRESS ? "no answer" : error_text(errno);
    }
  }
  ::freeaddrinfo(found);
  return result;
}

std::string list_of(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) {
    texts.push_back(std::to_string(number));
  }
  return join(texts, ", ");
}

} // namespace

// Node 0: takes in the others, and tells all of them who there is.
void NodeLink::serve() {
  const Rendezvous port =
      listen_for_nodes(request_.master.host, request_.master.port);
  const double deadline = monotonic_seconds() + request_.timeout;
  const auto missing = [&] {
    std::vector<int> ranks;
    for (int node = 1; node < request_.nodes; ++node) {
      if (!lines_[static_cast<std::size_t>(node)]) {
        ranks.push_back(node);
      }
    }
    return ranks;
  };
  try {
    while (!missing().empty()) {
      pollfd waiting{.fd = port.socket.get(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 200) == 1) {
        Fd fd(::accept4(
            port.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (fd) {
          receive_hello(std::make_unique<NodeLine>(std::move(fd)));
        }
      }
      const std::vector<int> absent = missing();
      VITRAIN_CHECK(
          absent.empty() || monotonic_seconds() < deadline,
          ExitCode::kWorkerDied,
          "node{} {} of {} did not come to port {} within {:g} s: has the "
          "command been started there, with -node_rank {} and -master {}:{}?",
          absent.size() == 1 ? "" : "s",
          list_of(absent),
          request_.nodes,
          request_.master.port,
          request_.timeout,
          absent.front(),
          request_.master.host,
          request_.master.port);
    }
  } catch (const Error& error) {
    fail_all(static_cast<int>(error.code()), error.what());
    throw;
  }
  own_address_ = lines_[1]->own_address();
  master_address_ = own_address_;
  nodes_.front().address = own_address_;
  Json list = Json::array();
  for (const Node& node : nodes_) {
    list.push_back(
        {{"workers", node.workers},
         {"devices", node.devices},
         {"address", node.address}});
  }
  send_to_all(to_line(Json{{"kind", "nodes"}, {"nodes", list}}));
}

void NodeLink::receive_hello(std::unique_ptr<NodeLine> line) {
  const std::string address = line->peer_address();
  const double deadline = monotonic_seconds() + kHelloSeconds;
  std::vector<std::string> messages;
  while (messages.empty() && line->open() && monotonic_seconds() < deadline) {
    pollfd waiting{.fd = line->fd(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, 100);
    messages = line->receive();
  }
  const Json hello = messages.empty()
      ? Json()
      : Json::parse(messages.front(), nullptr, /*allow_exceptions=*/false);
  Node other{.address = address};
  int nodes = 0;
  int node = 0;
  try {
    if (hello.at("vitrain") != kProtocol) {
      return; // of another version
    }
    nodes = hello.at("nodes");
    node = hello.at("node_rank");
    other.workers = hello.at("workers");
    other.devices = hello.at("devices");
  } catch (const Json::exception&) {
    return; // somebody else, such as a port scanner
  }
  const bool known = node >= 1 && node < request_.nodes;
  std::string problem;
  if (nodes != request_.nodes) {
    problem = fmt::format(
        "node {} ({}) was started for {} machines, node 0 for {}",
        node,
        address,
        nodes,
        request_.nodes);
  } else if (known && lines_[static_cast<std::size_t>(node)]) {
    problem = fmt::format(
        "-node_rank {} was given twice: to {} and to {}",
        node,
        nodes_[static_cast<std::size_t>(node)].address,
        address);
  } else if (!known) {
    problem = fmt::format(
        "{} was started with -node_rank {}: expected 1 to {}",
        address,
        node,
        request_.nodes - 1);
  }
  if (!problem.empty()) {
    line->send(NodeFailure{
        .node = 0,
        .exit_code = static_cast<int>(ExitCode::kUsage),
        .text = problem}
                   .message(attempt_));
    line->flush(1);
    fail(ExitCode::kUsage, "{}", problem);
  }
  nodes_[static_cast<std::size_t>(node)] = std::move(other);
  lines_[static_cast<std::size_t>(node)] = std::move(line);
}

// Any other node: finds node 0, which may start later.
void NodeLink::visit() {
  const double deadline = monotonic_seconds() + request_.timeout;
  std::string problem;
  Fd fd;
  while (!fd) {
    const double left = deadline - monotonic_seconds();
    VITRAIN_CHECK(
        left > 0,
        ExitCode::kWorkerDied,
        "node {} of {} could not reach node 0 at {}:{} within {:g} s: {}",
        request_.node_rank,
        request_.nodes,
        printable(request_.master.host),
        request_.master.port,
        request_.timeout,
        problem);
    fd = connect_once(request_.master, std::min(left, 5.0), problem);
    if (!fd) {
      constexpr int kRetryMicroseconds = 100000;
      ::usleep(kRetryMicroseconds);
    }
  }
  lines_.front() = std::make_unique<NodeLine>(std::move(fd));
  own_address_ = lines_.front()->own_address();
  master_address_ = lines_.front()->peer_address();
  lines_.front()->send(
      {{"vitrain", kProtocol},
       {"nodes", request_.nodes},
       {"node_rank", request_.node_rank},
       {"workers", request_.workers},
       {"devices", request_.devices}});
  // Node 0 answers when all are there, or says who is not.
  while (nodes_.front().workers == 0) {
    pollfd waiting{.fd = lines_.front()->fd(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, 200);
    for (const std::string& message : lines_.front()->receive()) {
      handle(0, message);
    }
    if (!failure_ && !lines_.front()->open()) {
      lose(0, lines_.front()->problem());
    }
    if (failure_) {
      fail(
          static_cast<ExitCode>(failure_->exit_code),
          "{}: {}",
          name_of(failure_->node),
          failure_->text);
    }
  }
}

} // namespace vitrain::launch

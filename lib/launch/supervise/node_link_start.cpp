// Part of node_link.h: how the supervisors of a run find one another in the
// constructor.

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "core/system/clock.h"
#include "core/text.h"
#include "launch/supervise/node_line.h"
#include "launch/supervise/node_link.h"

namespace vitrain::launch {
namespace {

constexpr int kProtocol = 2;
constexpr double kHelloSeconds = 10;
// A longer wait is reported to the user.
constexpr double kPatienceSeconds = 2;

// Tries the addresses of `master`, `seconds` each. Returns a connection; if
// there is none, an empty Fd, and sets `problem` to the last error.
Fd connect_once(const HostPort& master, double seconds, std::string& problem) {
  int error = 0;
  const Addresses found =
      resolve(master.host, std::to_string(master.port), error);
  if (error != 0) {
    problem = ::gai_strerror(error);
    return Fd();
  }
  Fd result;
  for (const addrinfo* one = found.get(); one != nullptr && !result;
       one = one->ai_next) {
    Fd fd(::socket(
        one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int status = ::connect(fd.get(), one->ai_addr, one->ai_addrlen);
    if (status != 0 && errno == EINPROGRESS &&
        wait_for_events(fd.get(), POLLOUT, seconds)) {
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
  return result;
}

// Returns true if getaddrinfo()'s error means that the name has no address;
// false for 0 and other errors, such as that no name server answered.
bool is_unknown_name(int error) {
  return error == EAI_NONAME || error == EAI_NODATA;
}

// Waits while the master's name is unknown. Throws Error(kUsage) if it stays
// so.
void check_name(const NodeRequest& request) {
  const double patience = std::min(request.timeout, request.name_timeout);
  const double deadline = monotonic_seconds() + patience;
  const std::string name = printable(request.master.host);
  for (bool told = false;; told = true) {
    int error = 0;
    resolve(request.master.host, "", error);
    if (!is_unknown_name(error)) {
      return;
    }
    const std::string problem = fmt::format(
        "no address for the master '{}': {}", name, gai_strerror(error));
    VITRAIN_CHECK(
        monotonic_seconds() < deadline,
        ExitCode::kUsage,
        "{}; -master HOST:PORT is an address of node 0",
        problem);
    if (!told) {
      request.notice(
          fmt::format("{}; asking again for {:g} s", problem, patience));
    }
    constexpr int kAskMicroseconds = 200000;
    ::usleep(kAskMicroseconds);
  }
}

// Returns "node 1", "nodes 1, 3".
std::string list_of(const std::vector<int>& nodes) {
  return fmt::format(
      "node{} {}", nodes.size() == 1 ? "" : "s", fmt::join(nodes, ", "));
}

std::string shown(const HostPort& address) {
  return fmt::format("{}:{}", printable(address.host), address.port);
}

bool is_of_vitrain(const std::string& message) {
  const Json json = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("kind");
}

} // namespace

// Node 0: accepts the other supervisors and sends all of them the list of
// nodes.
void NodeLink::serve() {
  check_name(request_);
  const ListeningSocket port =
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
  request_.notice(fmt::format(
      "waiting for {} of {} at port {} (up to {:g} s)",
      list_of(missing()),
      request_.nodes,
      request_.master.port,
      request_.timeout));
  try {
    while (!missing().empty()) {
      if (wait_for_events(port.socket.get(), POLLIN, 0.2)) {
        Fd fd(::accept4(
            port.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        const std::size_t before = missing().size();
        if (fd) {
          receive_hello(std::make_unique<NodeLine>(std::move(fd)));
        }
        if (const auto left = missing();
            !left.empty() && left.size() < before) {
          request_.notice("still waiting for " + list_of(left));
        }
      }
      const std::vector<int> absent = missing();
      VITRAIN_CHECK(
          absent.empty() || monotonic_seconds() < deadline,
          ExitCode::kWorkerDied,
          "{} of {} did not come to port {} within {:g} s: has the command "
          "been started there, with -node_rank {} and -master {}:{}?",
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
  send_to_all({{"kind", "nodes"}, {"nodes", nodes_}});
}

void NodeLink::receive_hello(std::unique_ptr<NodeLine> line) {
  const std::string address = line->peer_address();
  const double deadline = monotonic_seconds() + kHelloSeconds;
  std::vector<std::string> messages;
  while (messages.empty() && line->open() && monotonic_seconds() < deadline) {
    wait_for_events(line->fd(), POLLIN, 0.1);
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
      return; // another version of vitrain
    }
    nodes = hello.at("nodes");
    node = hello.at("node_rank");
    other.workers = hello.at("workers");
    other.devices = hello.at("devices");
  } catch (const Json::exception&) {
    return; // not a supervisor; a port scanner, for example
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
  line->send({{"kind", "welcome"}});
  nodes_[static_cast<std::size_t>(node)] = std::move(other);
  lines_[static_cast<std::size_t>(node)] = std::move(line);
}

// Runs on all other nodes: connects to node 0, which may start later.
void NodeLink::visit() {
  check_name(request_);
  const double deadline = monotonic_seconds() + request_.timeout;
  const std::string master = shown(request_.master);
  std::string problem;
  Fd fd;
  for (bool told = false; !fd; told = true) {
    const double left = deadline - monotonic_seconds();
    VITRAIN_CHECK(
        left > 0,
        ExitCode::kWorkerDied,
        "node {} of {} could not reach node 0 at {} within {:g} s: {}",
        request_.node_rank,
        request_.nodes,
        master,
        request_.timeout,
        problem);
    fd = connect_once(request_.master, std::min(left, 5.0), problem);
    if (fd) {
      break;
    }
    if (!told) {
      request_.notice(fmt::format(
          "waiting for node 0 at {} (up to {:g} s): {}",
          master,
          request_.timeout,
          problem));
    }
    constexpr int kRetryMicroseconds = 100000;
    ::usleep(kRetryMicroseconds);
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
  await_answer();
}

// Waits for node 0, which first greets, and then sends the list of nodes, or if
// some did not arrive, their names.
void NodeLink::await_answer() {
  NodeLine& line = *lines_.front();
  const std::string master = shown(request_.master);
  // Longer than node 0's own timeout, so that its answer arrives.
  const double deadline =
      monotonic_seconds() + request_.timeout + kHelloSeconds;
  const double patience = monotonic_seconds() + kPatienceSeconds;
  bool greeted = false;
  bool told = false;
  while (nodes_.front().workers == 0) {
    wait_for_events(line.fd(), POLLIN, 0.2);
    const bool before = greeted;
    for (const std::string& message : line.receive()) {
      VITRAIN_CHECK(
          is_of_vitrain(message),
          ExitCode::kUsage,
          "what answers at {} is not vitrain (it says '{}'): choose another "
          "port for the master",
          master,
          printable(message.substr(0, 40)));
      greeted = true;
      handle(0, message);
    }
    VITRAIN_CHECK(
        greeted || line.open(),
        ExitCode::kWorkerDied,
        "{} ended the connection without an answer ({}): what listens there "
        "is not vitrain, or not this version of it, or node 0 has just ended",
        master,
        line.problem());
    VITRAIN_CHECK(
        monotonic_seconds() < deadline,
        ExitCode::kWorkerDied,
        "{} accepted the connection and did not {} within {:g} s: is it node "
        "0 of this run that listens there?",
        master,
        greeted ? "begin" : "answer",
        request_.timeout + kHelloSeconds);
    if (!failure_ && !line.open()) {
      lose(0, line.problem());
    }
    if (failure_) {
      fail(
          static_cast<ExitCode>(failure_->exit_code),
          "{}: {}",
          name_of(failure_->node),
          failure_->text);
    }
    if (!greeted && !told && monotonic_seconds() > patience) {
      told = true;
      request_.notice(
          master + " accepted the connection, and has not answered yet");
    }
    // With two nodes, both are present after the greeting.
    if (greeted && !before && request_.nodes > 2 &&
        nodes_.front().workers == 0) {
      request_.notice(fmt::format(
          "node 0 is there ({}); waiting until all {} nodes are",
          master,
          request_.nodes));
    }
  }
}

} // namespace vitrain::launch

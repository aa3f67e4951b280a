#include "launch/node_link.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "core/json.h"
#include "core/text.h"
#include "launch/heartbeat.h"

namespace vitrain::launch {
namespace {

constexpr int kProtocol = 1;
constexpr double kSignSeconds = 1;
// Machines are busy, networks hiccup; a dead one is noticed by then.
constexpr double kSilentSeconds = 20;
constexpr double kHelloSeconds = 10;
constexpr std::size_t kLongestMessage = 1 << 20;

std::string numeric(const sockaddr_storage& address, socklen_t size) {
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
  // IPv4 on a socket for both.
  constexpr std::string_view kMapped = "::ffff:";
  return result.starts_with(kMapped) ? result.substr(kMapped.size()) : result;
}

std::string address_of(int fd, bool peer) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int error = peer ? ::getpeername(fd, generic, &size)
                         : ::getsockname(fd, generic, &size);
  return error == 0 ? numeric(address, size) : "unknown address";
}

void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// A machine that is switched off says nothing: the kernel asks.
void notice_dead_peers(int fd) {
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

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

Json failure_message(const NodeFailure& failure, int attempt) {
  return {
      {"kind", "failed"},
      {"attempt", attempt},
      {"node", failure.node},
      {"code", failure.exit_code},
      {"text", valid_utf8(failure.text)}};
}

std::string list_of(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) {
    texts.push_back(std::to_string(number));
  }
  return join(texts, ", ");
}

} // namespace

// Messages over one connection, a line each. Never blocks, except in flush().
class NodeLink::Line {
 public:
  explicit Line(Fd fd) : fd_(std::move(fd)) {
    set_option(fd_.get(), SOL_SOCKET, SO_SNDBUF, 1 << 18);
    notice_dead_peers(fd_.get());
  }

  int fd() const { return fd_.get(); }
  bool open() const { return static_cast<bool>(fd_); }
  double heard() const { return heard_; }
  const std::string& problem() const { return problem_; }

  void send(const Json& message) {
    out_ += to_line(message) + "\n";
    write();
  }

  // The messages that have arrived. Closes the line when its other end is gone.
  std::vector<std::string> receive() {
    write();
    char buffer[4096];
    while (fd_) {
      const ssize_t got =
          ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
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

  // Waits until what was sent is on its way, at most so long.
  void flush(double seconds) {
    const double end = monotonic_seconds() + seconds;
    while (fd_ && !out_.empty() && monotonic_seconds() < end) {
      pollfd waiting{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      ::poll(&waiting, 1, 50);
      write();
    }
  }

 private:
  void write() {
    while (fd_ && !out_.empty()) {
      const ssize_t sent = ::send(
          fd_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) {
        // Reading finds out what is wrong.
        return;
      }
      out_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void close(const std::string& problem) {
    problem_ = problem;
    fd_.reset();
  }

  Fd fd_;
  std::string in_;
  std::string out_;
  std::string problem_;
  double heard_ = monotonic_seconds();
};

NodeLink::NodeLink(const NodeRequest& request)
    : request_(request),
      nodes_(static_cast<std::size_t>(request.nodes)),
      lines_(nodes_.size()),
      ready_(nodes_.size()),
      finished_(nodes_.size()) {
  nodes_[static_cast<std::size_t>(request.node_rank)] = {
      .workers = request.workers, .devices = request.devices, .address = {}};
  if (request.node_rank == 0) {
    serve();
  } else {
    visit();
  }
}

NodeLink::~NodeLink() {
  constexpr double kFlushSeconds = 1;
  for (const auto& line : lines_) {
    if (line) {
      line->flush(kFlushSeconds);
    }
  }
}

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
          const std::string address = address_of(fd.get(), /*peer=*/true);
          Line line(std::move(fd));
          receive_hello(line, address);
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
  own_address_ = address_of(lines_[1]->fd(), /*peer=*/false);
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

void NodeLink::receive_hello(Line& line, const std::string& address) {
  const double deadline = monotonic_seconds() + kHelloSeconds;
  std::vector<std::string> messages;
  while (messages.empty() && line.open() && monotonic_seconds() < deadline) {
    pollfd waiting{.fd = line.fd(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, 100);
    messages = line.receive();
  }
  const Json hello = messages.empty()
      ? Json()
      : Json::parse(messages.front(), nullptr, /*allow_exceptions=*/false);
  if (!hello.is_object() || hello.value("vitrain", 0) != kProtocol) {
    return; // somebody else: a port scanner, an older version
  }
  const int nodes = hello.value("nodes", 0);
  const int node = hello.value("node_rank", -1);
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
    line.send(failure_message(
        {.node = 0,
         .exit_code = static_cast<int>(ExitCode::kUsage),
         .text = problem},
        attempt_));
    line.flush(1);
    fail(ExitCode::kUsage, "{}", problem);
  }
  nodes_[static_cast<std::size_t>(node)] = {
      .workers = hello.value("workers", 1),
      .devices = hello.value("devices", ""),
      .address = address};
  lines_[static_cast<std::size_t>(node)] =
      std::make_unique<Line>(std::move(line));
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
  own_address_ = address_of(fd.get(), /*peer=*/false);
  master_address_ = address_of(fd.get(), /*peer=*/true);
  lines_.front() = std::make_unique<Line>(std::move(fd));
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

int NodeLink::first_rank() const {
  int first = 0;
  for (int node = 0; node < request_.node_rank; ++node) {
    first += nodes_[static_cast<std::size_t>(node)].workers;
  }
  return first;
}

int NodeLink::world_size() const {
  int size = 0;
  for (const Node& node : nodes_) {
    size += node.workers;
  }
  return size;
}

std::string NodeLink::name_of(int node) const {
  const std::string& address = nodes_[static_cast<std::size_t>(node)].address;
  return address.empty() ? fmt::format("node {}", node)
                         : fmt::format("node {} ({})", node, address);
}

void NodeLink::send_to_all(const std::string& message) {
  const Json json = Json::parse(message);
  for (const auto& line : lines_) {
    if (line && line->open()) {
      line->send(json);
    }
  }
}

void NodeLink::handle(int node, const std::string& message) {
  const Json json = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return;
  }
  const std::string kind = json.value("kind", "");
  if (kind == "nodes") {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Json& one = json.at("nodes").at(i);
      nodes_[i] = {
          .workers = one.at("workers"),
          .devices = one.at("devices"),
          .address = one.at("address")};
    }
  } else if (kind == "ready") {
    ready_[static_cast<std::size_t>(node)] = true;
  } else if (kind == "share") {
    shared_ = json.at("text").get<std::string>();
  } else if (kind == "finished") {
    finished_[static_cast<std::size_t>(node)] = true;
  } else if (kind == "all finished") {
    all_finished_ = true;
  } else if (
      kind == "failed" && !failure_ && json.value("attempt", 0) == attempt_) {
    failure_ = NodeFailure{
        .node = json.at("node"),
        .exit_code = json.at("code"),
        .text = json.at("text")};
    if (request_.node_rank == 0) {
      send_to_all(message);
    }
  }
}

void NodeLink::lose(int node, const std::string& how) {
  if (failure_ || finished_[static_cast<std::size_t>(node)] || all_finished_) {
    return;
  }
  failure_ = NodeFailure{
      .node = node,
      .exit_code = static_cast<int>(ExitCode::kWorkerDied),
      .text = fmt::format("its supervisor is gone ({})", how)};
  if (request_.node_rank == 0) {
    send_to_all(to_line(failure_message(*failure_, attempt_)));
  }
}

std::optional<NodeFailure> NodeLink::poll() {
  const double now = monotonic_seconds();
  if (now - last_sign_ >= kSignSeconds) {
    send_to_all(to_line(Json{{"kind", "alive"}}));
    last_sign_ = now;
  }
  for (std::size_t node = 0; node < lines_.size(); ++node) {
    Line* line = lines_[node].get();
    if (line == nullptr) {
      continue;
    }
    for (const std::string& message : line->receive()) {
      handle(static_cast<int>(node), message);
    }
    if (!line->open()) {
      lose(static_cast<int>(node), line->problem());
    } else if (
        watched_since_ && !all_finished_ &&
        now - std::max(line->heard(), *watched_since_) > kSilentSeconds) {
      lose(
          static_cast<int>(node),
          fmt::format("silent for {:.0f} s", now - line->heard()));
    }
  }
  if (request_.node_rank == 0 && !all_finished_ &&
      std::ranges::all_of(finished_, [](bool done) { return done; })) {
    all_finished_ = true;
    send_to_all(to_line(Json{{"kind", "all finished"}}));
  }
  if (failure_ && !failure_told_) {
    failure_told_ = true;
    return failure_;
  }
  return std::nullopt;
}

std::string NodeLink::share(const std::string& text) {
  // A new attempt: what ended the last one is over.
  const bool gone = std::ranges::any_of(
      lines_, [](const auto& line) { return line && !line->open(); });
  VITRAIN_CHECK(
      !gone,
      ExitCode::kWorkerDied,
      "{}",
      failure_ ? failure_->text : "another machine of the run is gone");
  if (attempted_) {
    ++attempt_; // what is still on its way about the last one does not count
    failure_.reset();
    failure_told_ = false;
  }
  attempted_ = true;
  watched_since_.reset();
  std::fill(finished_.begin(), finished_.end(), false);
  all_finished_ = false;
  ready_[static_cast<std::size_t>(request_.node_rank)] = true;
  if (request_.node_rank != 0) {
    lines_.front()->send({{"kind", "ready"}});
  }
  const double deadline = monotonic_seconds() + request_.timeout;
  while (true) {
    if (const auto failure = poll()) {
      fail(
          static_cast<ExitCode>(failure->exit_code),
          "{}: {}",
          name_of(failure->node),
          failure->text);
    }
    const bool all = std::ranges::all_of(ready_, [](bool one) { return one; });
    if (request_.node_rank == 0 && all) {
      std::fill(ready_.begin(), ready_.end(), false);
      send_to_all(to_line(Json{{"kind", "share"}, {"text", text}}));
      watched_since_ = monotonic_seconds();
      return text;
    }
    if (shared_) {
      std::string result = *std::move(shared_);
      shared_.reset();
      watched_since_ = monotonic_seconds();
      return result;
    }
    if (monotonic_seconds() > deadline) {
      std::vector<int> absent;
      for (std::size_t node = 0; node < ready_.size(); ++node) {
        if (!ready_[node]) {
          absent.push_back(static_cast<int>(node));
        }
      }
      const std::string problem = fmt::format(
          "node {} was not ready within {:g} s",
          request_.node_rank == 0 ? list_of(absent) : "0",
          request_.timeout);
      fail_all(static_cast<int>(ExitCode::kWorkerDied), problem);
      fail(ExitCode::kWorkerDied, "{}", problem);
    }
    constexpr int kLookMicroseconds = 20000;
    ::usleep(kLookMicroseconds);
  }
}

void NodeLink::fail_all(int exit_code, const std::string& text) {
  if (failure_) {
    return;
  }
  failure_ = NodeFailure{
      .node = request_.node_rank, .exit_code = exit_code, .text = text};
  failure_told_ = true; // here it is known
  send_to_all(to_line(failure_message(*failure_, attempt_)));
}

void NodeLink::finish() {
  finished_[static_cast<std::size_t>(request_.node_rank)] = true;
  if (request_.node_rank != 0) {
    lines_.front()->send({{"kind", "finished"}});
  }
}

} // namespace vitrain::launch

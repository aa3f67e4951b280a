#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/json.h"
#include "core/system/files.h"

namespace vitrain::logging {

// A server that answers the requests of a run as MLflow does, one connection at
// a time, or fails on demand.
class FakeMlflow {
 public:
  struct Request {
    std::string method;
    std::string path;
    std::string head;
    std::string body;

    Json json() const { return Json::parse(body); }
  };
  // Status and body; a status of 0 is no answer at all.
  using Answer = std::function<std::pair<int, std::string>(const Request&)>;

  explicit FakeMlflow(Answer answer = usual) : answer_(std::move(answer)) {
    listen_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    ::bind(listen_.get(), generic, size);
    ::listen(listen_.get(), 16);
    ::getsockname(listen_.get(), generic, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeMlflow() {
    stopping_ = true;
    thread_.join();
  }

  std::string uri() const { return fmt::format("http://127.0.0.1:{}", port_); }
  void set(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Returns the requests to one endpoint.
  std::vector<Request> requests(const std::string& part) const {
    std::vector<Request> found;
    for (const Request& request : requests()) {
      if (request.path.find(part) != std::string::npos) {
        found.push_back(request);
      }
    }
    return found;
  }

  static std::pair<int, std::string> usual(const Request& request) {
    const auto has = [&](const char* part) {
      return request.path.find(part) != std::string::npos;
    };
    if (has("get-by-name")) {
      return {404, R"({"error_code": "RESOURCE_DOES_NOT_EXIST"})"};
    }
    if (has("experiments/create")) {
      return {200, R"({"experiment_id": "7"})"};
    }
    if (has("runs/create")) {
      return {
          200,
          R"({"run": {"info": {"run_id": "abc",)"
          R"( "artifact_uri": "mlflow-artifacts:/7/abc/artifacts"}}})"};
    }
    return {200, "{}"};
  }

 private:
  void serve() {
    while (!stopping_) {
      if (!wait_for_events(listen_.get(), POLLIN, 0.02)) {
        continue;
      }
      const Fd client(::accept4(listen_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client) {
        answer(client.get());
      }
    }
  }

  // Reads until `enough` says so, or the client has gone.
  void
  read_until(int fd, std::string& text, const std::function<bool()>& enough) {
    std::array<char, 65536> part{};
    while (!stopping_ && !enough()) {
      if (!wait_for_events(fd, POLLIN, 0.02)) {
        continue;
      }
      const ssize_t got = ::read(fd, part.data(), part.size());
      if (got <= 0) {
        return;
      }
      text.append(part.data(), static_cast<std::size_t>(got));
    }
  }

  void answer(int fd) {
    std::string text;
    read_until(
        fd, text, [&] { return text.find("\r\n\r\n") != std::string::npos; });
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) {
      return;
    }
    Request request;
    request.head = text.substr(0, end);
    std::size_t length = 0;
    const std::size_t at = request.head.find("Content-Length: ");
    if (at != std::string::npos) {
      length = std::stoul(request.head.substr(at + 16));
    }
    read_until(fd, text, [&] { return text.size() >= end + 4 + length; });
    request.body = text.substr(end + 4, length);
    const std::size_t first = request.head.find(' ');
    const std::size_t second = request.head.find(' ', first + 1);
    request.method = request.head.substr(0, first);
    request.path = request.head.substr(first + 1, second - first - 1);
    std::pair<int, std::string> reply;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      reply = answer_(request);
    }
    if (reply.first == 0) { // until the client gives up
      std::string rest;
      read_until(fd, rest, [] { return false; });
      return;
    }
    const std::string bytes = fmt::format(
        "HTTP/1.1 {} X\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
        reply.first,
        reply.second.size(),
        reply.second);
    write_all(fd, bytes.data(), bytes.size());
  }

  mutable std::mutex mutex_;
  Answer answer_;
  std::vector<Request> requests_;
  Fd listen_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

} // namespace vitrain::logging

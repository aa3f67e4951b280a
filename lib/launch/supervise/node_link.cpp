#include "launch/supervise/node_link.h"

#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "core/check.h"
#include "core/json.h"
#include "core/system/clock.h"
#include "core/text.h"
#include "launch/supervise/node_line.h"

namespace vitrain::launch {
namespace {

constexpr double kSignSeconds = 1;
// A machine that sends nothing for this time counts as lost. Pauses of busy
// machines and of the network are shorter.
constexpr double kSilentSeconds = 20;

} // namespace

Json NodeFailure::message(int attempt) const {
  return {
      {"kind", "failed"},
      {"attempt", attempt},
      {"node", node},
      {"code", exit_code},
      {"text", valid_utf8(text)}};
}

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

int NodeLink::workers_before(int node) const {
  int workers = 0;
  for (const Node& one : nodes_ | std::views::take(node)) {
    workers += one.workers;
  }
  return workers;
}

std::string NodeLink::name_of(int node) const {
  const std::string& address = nodes_[static_cast<std::size_t>(node)].address;
  return address.empty() ? fmt::format("node {}", node)
                         : fmt::format("node {} ({})", node, address);
}

void NodeLink::send_to_all(const Json& message) {
  for (const auto& line : lines_) {
    if (line && line->open()) {
      line->send(message);
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
      json.at("nodes").at(i).get_to(nodes_[i]);
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
      send_to_all(json);
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
    send_to_all(failure_->message(attempt_));
  }
}

std::optional<NodeFailure> NodeLink::poll() {
  const double now = monotonic_seconds();
  if (now - last_sign_ >= kSignSeconds) {
    send_to_all({{"kind", "alive"}});
    last_sign_ = now;
  }
  for (std::size_t node = 0; node < lines_.size(); ++node) {
    NodeLine* line = lines_[node].get();
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
    send_to_all({{"kind", "all finished"}});
  }
  if (failure_ && !failure_told_) {
    failure_told_ = true;
    return failure_;
  }
  return std::nullopt;
}

std::string NodeLink::share(const std::string& text) {
  // A new attempt begins; the failure that ended the last one is over.
  const bool gone = std::ranges::any_of(
      lines_, [](const auto& line) { return line && !line->open(); });
  VITRAIN_CHECK(
      !gone,
      ExitCode::kWorkerDied,
      "{}",
      failure_ ? failure_->text : "another machine of the run is gone");
  if (attempted_) {
    ++attempt_; // so that late messages of the last attempt are ignored
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
    const auto failure = poll();
    if (shared_) {
      std::string result = *std::move(shared_);
      shared_.reset();
      watched_since_ = monotonic_seconds();
      failure_told_ = failure_told_ && !failure; // of the new attempt
      return result;
    }
    if (failure) {
      fail(
          static_cast<ExitCode>(failure->exit_code),
          "{}: {}",
          name_of(failure->node),
          failure->text);
    }
    const bool all = std::ranges::all_of(ready_, [](bool one) { return one; });
    if (request_.node_rank == 0 && all) {
      std::fill(ready_.begin(), ready_.end(), false);
      send_to_all({{"kind", "share"}, {"text", text}});
      watched_since_ = monotonic_seconds();
      return text;
    }
    if (monotonic_seconds() > deadline) {
      std::vector<std::size_t> absent;
      for (std::size_t node = 0; node < ready_.size(); ++node) {
        if (request_.node_rank == 0 ? !ready_[node] : node == 0) {
          absent.push_back(node);
        }
      }
      const std::string problem = fmt::format(
          "node {} was not ready within {:g} s",
          fmt::join(absent, ", "),
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
  failure_told_ = true; // this machine knows it already
  send_to_all(failure_->message(attempt_));
}

void NodeLink::finish() {
  finished_[static_cast<std::size_t>(request_.node_rank)] = true;
  if (request_.node_rank != 0) {
    lines_.front()->send({{"kind", "finished"}});
  }
}

} // namespace vitrain::launch

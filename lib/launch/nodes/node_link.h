#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "launch/nodes/rendezvous.h"

namespace vitrain::launch {

class NodeLine;

// What the supervisor of one machine brings to a run on several.
struct NodeRequest {
  int nodes = 2;
  int node_rank = 0;
  HostPort master; // of node 0
  int workers = 1; // on this machine
  std::string devices; // of them, for people
  double timeout = 600; // seconds until all machines must be there
  // Seconds until the master's name must have an address: that of a machine
  // which is just being started may come a moment later.
  double name_timeout = 10;
  // Gets a line for people while machines are waited for.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

// One machine of a run.
struct Node {
  int workers = 0;
  std::string devices;
  std::string address; // as node 0 sees it
};
VITRAIN_JSON(Node, workers, devices, address)

// Why a run ends on all machines.
struct NodeFailure {
  int node = 0; // where
  int exit_code = 0;
  // "rank 3 (pid 12, cpu) was killed by signal 9 (SIGKILL) ..." and what it
  // wrote last; no newline at the end.
  std::string text;

  // What supervisors tell one another in the given attempt of the run.
  Json message(int attempt) const;
};

// How the supervisors of a run's machines know of one another: each is
// connected to that of node 0, over TCP, with one line of JSON a message. They
// agree on ranks, start together, tell one another failures, and notice when a
// machine is gone. Workers do not use it.
//
// Every function except the const ones and fail_all() is collective, in the
// same order on all machines.
class NodeLink {
 public:
  // Meets the others. Throws Error: kUsage when node ranks or numbers of
  // machines contradict one another, the master's name has no address, the port
  // is in use or answers what is not vitrain; kWorkerDied naming the machines
  // that did not come in time.
  explicit NodeLink(const NodeRequest& request);
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;
  ~NodeLink();

  int node_rank() const { return request_.node_rank; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // Of this machine's workers.
  int first_rank() const { return workers_before(request_.node_rank); }
  int world_size() const { return workers_before(request_.nodes); }
  // Numeric addresses: node 0's as this machine reaches it, and this machine's
  // on the way there.
  const std::string& master_address() const { return master_address_; }
  const std::string& own_address() const { return own_address_; }
  // "node 1 (10.0.0.2)".
  std::string name_of(int node) const;

  // Waits until every machine has got here; returns node 0's `text`. Throws
  // Error with the code of a machine that failed.
  std::string share(const std::string& text);

  // Tells all machines that the run ends, and why. May be called at any time,
  // also more than once; the first counts.
  void fail_all(int exit_code, const std::string& text);

  // To be called several times a second while workers run: signs of life, and
  // what has happened elsewhere since. Never blocks.
  std::optional<NodeFailure> poll();

  // This machine's workers have all ended well. True from poll() to poll() once
  // those of all machines have.
  void finish();
  bool all_finished() const { return all_finished_; }

 private:
  int workers_before(int node) const;
  void serve();
  void visit();
  void await_answer();
  void receive_hello(std::unique_ptr<NodeLine> line);
  void handle(int node, const std::string& message);
  void lose(int node, const std::string& how);
  void send_to_all(const Json& message);

  NodeRequest request_;
  std::vector<Node> nodes_;
  std::string master_address_;
  std::string own_address_;
  // By node; on node 0 that of every other one, elsewhere only the first.
  std::vector<std::unique_ptr<NodeLine>> lines_;
  std::vector<bool> ready_;
  std::vector<bool> finished_;
  bool all_finished_ = false;
  std::optional<std::string> shared_;
  std::optional<NodeFailure> failure_;
  bool failure_told_ = false;
  int attempt_ = 0;
  bool attempted_ = false;
  double last_sign_ = 0;
  // While workers run: machines that list data say nothing for a while.
  std::optional<double> watched_since_;
};

} // namespace vitrain::launch

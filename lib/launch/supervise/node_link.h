#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::launch {

class NodeLine;

// Contribution of this machine to a run on several machines.
struct NodeRequest {
  int nodes = 2;
  int node_rank = 0;
  HostPort master; // of node 0
  int workers = 1; // on this machine
  std::string devices; // description of their devices, for messages
  double timeout = 600; // seconds until all machines must be connected
  // Seconds until the master's name must resolve to an address: a machine that
  // is still starting may get its address later.
  double name_timeout = 10;
  // Called with a line for the user while this machine waits for another.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

// One machine of a run.
struct Node {
  int workers = 0;
  std::string devices;
  std::string address; // as node 0 sees it
};
VITRAIN_JSON(Node, workers, devices, address)

// Failure that ends the run on all machines.
struct NodeFailure {
  int node = 0; // node on which it happened
  int exit_code = 0;
  // Description such as "rank 3 (pid 12, cpu) was killed by signal 9 (SIGKILL)
  // ..." and the last lines of the worker's log, without a final newline.
  std::string text;

  // Returns the message that reports this failure to other supervisors;
  // `attempt`: number of the run's attempt.
  Json message(int attempt) const;
};

// Connects the supervisors of a run's machines: each has a TCP connection to
// node 0's, with one line of JSON per message. They agree on ranks, start
// together, report failures to each other, and notice a lost machine. Workers
// do not use it.
//
// The constructor and share() are collective: call them in the same order on
// all machines.
class NodeLink {
 public:
  // Connects to the other supervisors. Throws Error: kUsage if node ranks or
  // numbers of machines contradict each other, if the master's name has no
  // address, or if the port is in use or not vitrain's; kWorkerDied that names
  // the machines that did not connect in time, or if node 0 does not answer.
  explicit NodeLink(const NodeRequest& request);
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;
  ~NodeLink();

  int node_rank() const { return request_.node_rank; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // Rank of this machine's first worker.
  int first_rank() const { return workers_before(request_.node_rank); }
  int world_size() const { return workers_before(request_.nodes); }
  // Numeric addresses: node 0's as this machine reaches it, and this machine's
  // on the route to node 0.
  const std::string& master_address() const { return master_address_; }
  const std::string& own_address() const { return own_address_; }
  // Returns "node 1 (10.0.0.2)", or "node 1" if its address is unknown.
  std::string name_of(int node) const;

  // Begins an attempt of the run: discards the failure of the last one, waits
  // until every machine has called it and returns node 0's `text`. Throws Error
  // with the code of a machine that failed; kWorkerDied if a machine is gone or
  // NodeRequest::timeout has passed. Collective.
  std::string share(const std::string& text);

  // Reports to all machines that the run ends, and why. May be called at any
  // time; has no effect if a failure of this attempt, on any machine, is known.
  void fail_all(int exit_code, const std::string& text);

  // Exchanges signs of life: call it several times a second while workers run.
  // Returns the first failure on another machine, or its loss, once; else
  // nullopt. Never blocks.
  std::optional<NodeFailure> poll();

  // Reports to the other machines that this machine's workers have ended
  // successfully. all_finished() becomes true in poll() once all machines have
  // done so.
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
  // Indexed by node. Node 0 has a connection to every other node; another node
  // has only element 0.
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
  // Time since which silence of other machines counts. Set by share(), because
  // machines that list their data before it may send nothing for a while.
  std::optional<double> watched_since_;
};

} // namespace vitrain::launch

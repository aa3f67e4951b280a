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

// A machine's contribution to a run on several machines.
struct NodeRequest {
  int nodes = 2;
  int node_rank = 0;
  HostPort master; // of node 0
  int workers = 1; // on this machine
  std::string devices; // of them, for people
  double timeout = 600; // seconds until all machines must be there
  // Seconds until the master's name must have an address: the address of a
  // machine that is still starting may appear later.
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
  // "rank 3 (pid 12, cpu) was killed by signal 9 (SIGKILL) ..." and its last
  // lines, without a final newline.
  std::string text;

  // Returns the message about this failure to other supervisors, for the given
  // attempt of the run.
  Json message(int attempt) const;
};

// Connects the supervisors of a run's machines: each has a TCP connection to
// node 0's, with one line of JSON per message. They agree on ranks, start
// together, report failures to each other, and notice a lost machine. Workers
// do not use it.
//
// Every function except the const ones and fail_all() is collective, in the
// same order on all machines.
class NodeLink {
 public:
  // Connects to the other supervisors. Throws Error: kUsage if node ranks or
  // numbers of machines contradict each other, if the master's name has no
  // address, or if the port is in use or not vitrain's; kWorkerDied that names
  // the machines that did not connect in time.
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

  // Call several times a second while workers run: exchanges signs of life.
  // Returns a failure on another machine, if any. Never blocks.
  std::optional<NodeFailure> poll();

  // Tells the others that this machine's workers have ended successfully.
  // all_finished() becomes true in poll() once all machines have done so.
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
  // By node; node 0 has a line to every other node, other nodes only the first.
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

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dist/sync/averaging.h"
#include "dist/sync/gradient_sync.h"
#include "dist/sync/parameter_server.h"

namespace vitrain::dist {

// A replica's views of the tensors that one server keeps, in the order of that
// server's buffers.
struct ReplicaShard {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;
  // Optimizer state; as many as ServerShard::state has.
  std::vector<at::Tensor> state;
};

// Connects mailbox number `place` of `places`. Collective over all mailboxes; a
// rank that runs a server calls it on two threads at the same time, once for
// each of its mailboxes.
using ConnectMailbox =
    std::function<std::unique_ptr<Mailbox>(int place, int places)>;

// Counts of a worker's gradients by outcome.
struct UpdateCounts {
  std::int64_t pushed = 0;
  std::int64_t applied = 0;
  std::int64_t dropped = 0;
  std::int64_t largest_staleness = 0; // over the applied gradients
  // Number of updates of all workers, as last reported.
  std::int64_t version = 0;
};

// Bounded-staleness parameter server (Li et al., "Scaling distributed machine
// learning with the parameter server", OSDI 2014; the bound: Ho et al., "More
// effective distributed ML via a stale synchronous parallel parameter server",
// NIPS 2013). A step reads the weights, computes a gradient and pushes it; the
// servers apply each gradient separately when it arrives, at most max_staleness
// updates after its worker read the weights. There is one server per shard, run
// by threads of ranks 0 ... servers - 1. A rank without samples in a step does
// not take part in that step.
class AsyncPs final : public GradientSync {
 public:
  // `shards`: views of the whole replica, one per server. `own`: the shard that
  // this rank serves, if any; its values are copied from the replica at the
  // first step. Collective.
  AsyncPs(
      Group& group,
      std::vector<GradientBuffer> gradients,
      std::vector<ReplicaShard> shards,
      std::optional<ServerShard> own,
      const ConnectMailbox& connect,
      const AsyncPsOptions& options);
  ~AsyncPs() override;

  std::int64_t begin_step(const StepInfo& step) override;
  void begin_micro_batch(bool last, bool empty) override;
  bool finish() override;
  void apply(const Update& update, const std::function<void()>& own) override;
  bool updates_alone() const override { return false; }
  // Copies the servers' weights and optimizer state to every worker, after all
  // gradients have been applied.
  void flush(const std::function<void()>& update) override;
  std::int64_t lead() const override { return options_.max_staleness; }
  Traffic traffic() const override { return traffic_; }

  // Exact after flush(); before it, the outcome of the last gradient may be
  // unknown.
  const UpdateCounts& counts() const { return counts_; }

 private:
  struct Connection; // a shard and its message buffers

  void start_server();
  void ask(message::Kind kind, double lr = 0.0);
  // Waits for a message. If that fails because this rank's own server has
  // failed, throws the server's error.
  void wait(Mailbox::Message& message);
  void waited(double seconds);
  void hear(const message::Verdict& verdict);
  // Requests weights (kRead) or weights and optimizer state (kSettle) from all
  // servers and receives them.
  void fetch(message::Kind request);

  Group& group_;
  Group alone_;
  BucketedAllReduce local_; // sums micro-batches, exchanges nothing
  AsyncPsOptions options_;
  ServerLayout layout_;
  std::unique_ptr<Mailbox> mail_;
  std::vector<Connection> connections_; // one per server
  std::optional<ServerShard> own_;
  std::unique_ptr<Mailbox> server_mail_;
  std::unique_ptr<ParameterServer> server_;
  std::vector<Mailbox::Message> requests_; // being sent
  bool started_ = false; // a step has begun
  bool takes_part_ = false; // has samples in this step
  bool undecided_ = false; // the last gradient's verdict is not known yet
  std::int64_t step_ = 0;
  UpdateCounts counts_;
  Traffic unreported_; // verdicts not yet in traffic_
  Traffic traffic_;
};

} // namespace vitrain::dist

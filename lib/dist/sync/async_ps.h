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

// A replica's views of what one server keeps, in the order of that server's
// buffers.
struct ReplicaShard {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> state; // as many as ServerShard::state has
};

// Connects mailbox `place` of `places`. Collective over the places; a rank that
// serves calls it on two threads at the same time.
using ConnectMailbox =
    std::function<std::unique_ptr<Mailbox>(int place, int places)>;

// Counts of a worker's gradients by outcome.
struct UpdateCounts {
  std::int64_t pushed = 0;
  std::int64_t applied = 0;
  std::int64_t dropped = 0;
  std::int64_t largest_staleness = 0; // over the applied gradients
  std::int64_t version = 0; // updates of all workers, as last reported
};

// Bounded-staleness parameter server (Li et al., "Scaling distributed machine
// learning with the parameter server", OSDI 2014; the bound: Ho et al., "More
// effective distributed ML via a stale synchronous parallel parameter server",
// NIPS 2013). A step reads the weights, computes a gradient and pushes it; the
// servers apply each gradient on its own when it arrives, at most max_staleness
// updates after it was read. There are as many servers as shards, threads of
// the ranks 0 ... servers - 1. A rank without samples in a step takes no part
// in it.
class AsyncPs final : public GradientSync {
 public:
  // `shards`: the whole replica, by server. `own`: the shard that this rank
  // serves, if any; copied from the replica at the first step. Collective.
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
  // Every worker gets the servers' weights and optimizer state, when all
  // gradients have been applied.
  void flush(const std::function<void()>& update) override;
  std::int64_t lead() const override { return options_.max_staleness; }
  Traffic traffic() const override { return traffic_; }

  // Exact after flush(); before, the last gradient may be undecided.
  const UpdateCounts& counts() const { return counts_; }

 private:
  struct Connection; // a shard and its buffers of what travels

  void start_server();
  void ask(message::Kind kind, double lr = 0.0);
  // Waits, with the reason of this rank's own server when that has failed.
  void wait(Mailbox::Message& message);
  void waited(double seconds);
  void hear(const message::Verdict& verdict);
  // Receives weights or states of all servers, in answer to `request`.
  void fetch(message::Kind request);

  Group& group_;
  Group alone_;
  BucketedAllReduce local_; // sums micro-batches, exchanges nothing
  AsyncPsOptions options_;
  ServerLayout layout_;
  std::unique_ptr<Mailbox> mail_;
  std::vector<Connection> connections_; // by server
  std::optional<ServerShard> own_;
  std::unique_ptr<Mailbox> server_mail_;
  std::unique_ptr<ParameterServer> server_;
  std::vector<Mailbox::Message> requests_; // under way
  bool started_ = false; // has made a step
  bool takes_part_ = false; // in this step
  bool undecided_ = false; // a gradient whose verdict is not known
  std::int64_t step_ = 0;
  UpdateCounts counts_;
  Traffic unreported_; // fates of gradients, not yet in the traffic of a step
  Traffic traffic_;
};

} // namespace vitrain::dist

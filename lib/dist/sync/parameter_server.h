#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/mailbox.h"
#include "dist/sync/staleness.h"
#include "dist/sync/weight_prediction.h"

namespace vitrain::dist {

// The part of the weights that one server keeps: contiguous fp32 buffers on the
// CPU.
struct ServerShard {
  at::Tensor parameters; // [n]
  at::Tensor gradients; // [n], input of apply()
  std::vector<at::Tensor> state; // optimizer state
  // Updates parameters and state with this learning rate.
  std::function<void(double lr)> apply;
};

// Numbering of the mailboxes of async_ps: workers 0 ... workers - 1, then the
// servers.
struct ServerLayout {
  int workers = 1;
  int servers = 1;

  int places() const { return workers + servers; }
  int place_of(int server) const { return workers + server; }
};

// How servers treat stale gradients.
struct AsyncPsOptions {
  std::int64_t max_staleness = 0;
  OnStale on_stale = OnStale::kWait;
  // Workers read weights predicted for the time when their gradient arrives.
  // The expected number of updates until then is the staleness of the worker's
  // last gradient, or max_staleness if that was dropped. The prediction is one
  // update with the last applied gradient and its learning rate times that
  // number. After settling, a server has no gradients to predict with, as at
  // the start.
  bool predict = false;
};

// Messages between workers and servers, and their tags. Requests and verdicts
// are int64; gradients, weights and states are flat fp32 buffers.
namespace message {

enum Tag : int {
  kRequestTag = 1, // worker -> first server
  kVerdictTag, // first server -> worker, next to weights or state
  kGradientTag, // worker -> server, after kRead
  kWeightsTag, // server -> worker
  kStateTag, // server -> worker: weights and optimizer state
  kEventTag, // first server -> other servers
};

enum class Kind : std::int64_t {
  kRead, // asks for the weights
  kUpdate, // a gradient follows
  kWithdraw, // no gradient will follow the last kRead
  kSettle, // asks for weights and state once all workers have asked
  kDrop, // event only: the received gradient is too old
};

// A request of a worker, or an event that the first server sends to the other
// servers.
struct MessageHeader {
  Kind kind = Kind::kRead;
  std::int64_t worker = 0;
  std::int64_t step = 0; // step of the worker
  std::int64_t version = 0; // version of the weights that the worker read
  double lr = 0.0; // learning rate of the update, or of the prediction to send

  static constexpr std::int64_t kSize = 5; // int64 words
  at::Tensor pack() const;
  static MessageHeader unpack(const at::Tensor& words);
};

// Outcome of a worker's latest gradient.
struct Verdict {
  static constexpr std::int64_t kDropped = -1; // too stale
  static constexpr std::int64_t kNone = -2; // none yet, or withdrawn

  std::int64_t version = 0; // version of the weights sent with the verdict
  std::int64_t staleness = kNone; // or kDropped, kNone

  static constexpr std::int64_t kSize = 2;
  at::Tensor pack() const;
  static Verdict unpack(const at::Tensor& words);
};

} // namespace message

// A server of async_ps: threads that keep a shard of the weights, send it to
// workers on request and apply their gradients one after another.
//
// The first server (index 0) decides with a StalenessBound in which order reads
// and updates happen and sends its decisions to the other servers. All shards
// therefore see the same updates in the same order, as with a single server. A
// worker sends its gradient to every server, but requests only to the first.
class ParameterServer {
 public:
  // Starts to serve `shard` through `mailbox`, which must have number
  // place_of(index).
  ParameterServer(
      std::unique_ptr<Mailbox> mailbox,
      ServerShard shard,
      const ServerLayout& layout,
      int index,
      const AsyncPsOptions& options);
  // Ends the threads, even if they wait for messages.
  ~ParameterServer();
  ParameterServer(const ParameterServer&) = delete;
  ParameterServer& operator=(const ParameterServer&) = delete;

  // Rethrows the error that ended the server, if any. May be called from any
  // thread.
  void check() const;

 private:
  class Inbox;

  void run();
  // Runs `body` on a new thread; an exception there ends the server.
  std::thread guarded(std::function<void()> body);

  // Runs on the first server, one thread per worker.
  void serve(int worker);
  void read(int worker);
  void update(const message::MessageHeader& request, Inbox& inbox);
  void settle(int worker);
  void tell(const message::MessageHeader& event);
  template <typename Ready>
  void await(std::unique_lock<std::mutex>& lock, const Ready& ready);
  // Runs on every other server, one thread for all workers.
  void follow();

  void apply(const at::Tensor& gradient, double lr);
  // Returns the learning rate of the prediction for a worker with verdict
  // `last`; 0: no prediction.
  double rate_of_prediction(const message::Verdict& last) const;
  // Sends the weights, predicted with learning rate `lr` unless it is 0.
  void send_weights(int worker, double lr);
  at::Tensor packed_state() const;

  std::unique_ptr<Mailbox> mail_;
  ServerShard shard_;
  ServerLayout layout_;
  int index_;
  AsyncPsOptions options_;

  mutable std::mutex mutex_; // protects shard_ and all members below
  std::condition_variable changed_;
  StalenessBound bound_;
  std::deque<int> readers_; // workers waiting to read, in the order of requests
  std::vector<message::Verdict> verdicts_; // one per worker
  std::optional<WeightPrediction> prediction_;
  double last_lr_ = 0.0; // learning rate of the last update
  int settling_ = 0; // workers that have asked to settle
  std::int64_t settlements_ = 0;
  // Current settlement, until all workers have received it.
  at::Tensor settlement_;
  std::deque<Mailbox::Message> events_; // being sent to the other servers
  bool closing_ = false;
  std::exception_ptr failure_;

  std::thread thread_;
};

} // namespace vitrain::dist

#include "dist/sync/parameter_server.h"

#include <array>
#include <bit>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/check.h"

namespace vitrain::dist {

using message::Kind;
using message::MessageHeader;
using message::Verdict;

namespace message {

at::Tensor MessageHeader::pack() const {
  return at::tensor(
      {static_cast<std::int64_t>(kind),
       worker,
       step,
       version,
       std::bit_cast<std::int64_t>(lr)},
      at::kLong);
}

MessageHeader MessageHeader::unpack(const at::Tensor& words) {
  const auto* word = words.const_data_ptr<std::int64_t>();
  return {
      .kind = static_cast<Kind>(word[0]),
      .worker = word[1],
      .step = word[2],
      .version = word[3],
      .lr = std::bit_cast<double>(word[4])};
}

at::Tensor Verdict::pack() const {
  return at::tensor({version, staleness}, at::kLong);
}

Verdict Verdict::unpack(const at::Tensor& words) {
  const auto* word = words.const_data_ptr<std::int64_t>();
  return {.version = word[0], .staleness = word[1]};
}

} // namespace message

// Gradients from one worker. A receive is always posted before the worker
// sends: the message then takes one trip through the network instead of three
// (Gloo asks the receiver first).
class ParameterServer::Inbox {
 public:
  Inbox(Mailbox& mail, int worker, const at::Tensor& like)
      : mail_(mail), worker_(worker), gradient_(at::empty_like(like)) {
    open_gradient();
  }

  // Waits for the gradient sent after the last read and returns it. Valid until
  // the next open_gradient().
  const at::Tensor& gradient() {
    arriving_.wait();
    return gradient_;
  }
  void open_gradient() {
    arriving_ = mail_.receive(gradient_, worker_, message::kGradientTag);
  }

 private:
  Mailbox& mail_;
  int worker_;
  at::Tensor gradient_;
  Mailbox::Message arriving_;
};

namespace {

// Receives headers from one sender. The next receive is posted before the last
// header is processed.
class Headers {
 public:
  Headers(Mailbox& mail, int from, int tag)
      : mail_(mail), from_(from), tag_(tag) {
    for (auto& slot : slots_) {
      open(slot);
    }
  }

  MessageHeader next() {
    Slot& slot = slots_[static_cast<std::size_t>(next_)];
    next_ = 1 - next_;
    slot.arriving.wait_however_long();
    const MessageHeader header = MessageHeader::unpack(slot.words);
    open(slot);
    return header;
  }

 private:
  struct Slot {
    at::Tensor words = at::empty({MessageHeader::kSize}, at::kLong);
    Mailbox::Message arriving{};
  };

  void open(Slot& slot) {
    slot.arriving = mail_.receive(slot.words, from_, tag_);
  }

  Mailbox& mail_;
  int from_;
  int tag_;
  std::array<Slot, 2> slots_;
  int next_ = 0;
};

std::vector<at::Tensor> all_of(const ServerShard& shard) {
  std::vector<at::Tensor> buffers = shard.state;
  buffers.push_back(shard.parameters);
  return buffers;
}

// Maximum number of unsent events to the other servers before the first server
// waits for them.
constexpr std::size_t kEventsUnderWay = 64;

} // namespace

ParameterServer::ParameterServer(
    std::unique_ptr<Mailbox> mailbox,
    ServerShard shard,
    const ServerLayout& layout,
    int index,
    const AsyncPsOptions& options)
    : mail_(std::move(mailbox)),
      shard_(std::move(shard)),
      layout_(layout),
      index_(index),
      options_(options),
      bound_(layout.workers, options.max_staleness, options.on_stale),
      verdicts_(static_cast<std::size_t>(layout.workers)),
      prediction_(
          options.predict ? std::optional<WeightPrediction>(all_of(shard_))
                          : std::nullopt),
      thread_([this] { run(); }) {}

ParameterServer::~ParameterServer() {
  mail_->close();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ParameterServer::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

void ParameterServer::run() {
  std::vector<std::thread> threads;
  if (index_ == 0) {
    for (int worker = 0; worker < layout_.workers; ++worker) {
      threads.push_back(guarded([this, worker] { serve(worker); }));
    }
  } else {
    threads.push_back(guarded([this] { follow(); }));
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  // Closes the connections, so that no worker waits for an answer.
  events_.clear();
  mail_->disconnect();
}

std::thread ParameterServer::guarded(std::function<void()> body) {
  return std::thread([this, body = std::move(body)] {
    const at::NoGradGuard no_grad;
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!closing_) {
        closing_ = true;
        failure_ = std::current_exception();
        mail_->close();
      }
    }
    changed_.notify_all();
  });
}

void ParameterServer::serve(int worker) {
  Headers requests(*mail_, worker, message::kRequestTag);
  Inbox inbox(*mail_, worker, shard_.gradients);
  while (true) {
    const MessageHeader request = requests.next();
    switch (request.kind) {
      case Kind::kRead:
        read(worker);
        break;
      case Kind::kUpdate:
        update(request, inbox);
        break;
      case Kind::kWithdraw: {
        const std::lock_guard lock(mutex_);
        bound_.withdraw(worker);
        verdicts_[static_cast<std::size_t>(worker)].staleness = Verdict::kNone;
        break;
      }
      case Kind::kSettle:
        settle(worker);
        break;
      case Kind::kDrop:
        fail(ExitCode::kInternal, "a worker asked to drop a gradient");
    }
    changed_.notify_all();
  }
}

void ParameterServer::read(int worker) {
  std::unique_lock lock(mutex_);
  readers_.push_back(worker);
  await(lock, [&] { return readers_.front() == worker && bound_.may_read(); });
  readers_.pop_front();
  bound_.read(worker);
  Verdict& verdict = verdicts_[static_cast<std::size_t>(worker)];
  verdict.version = bound_.version();
  const double lr = rate_of_prediction(verdict);
  tell({.kind = Kind::kRead, .worker = worker, .lr = lr});
  // Sent under the lock, so that the weights of all servers have the same
  // version.
  auto first = mail_->send(verdict.pack(), worker, message::kVerdictTag);
  send_weights(worker, lr);
  first.wait();
}

double ParameterServer::rate_of_prediction(const Verdict& last) const {
  if (!prediction_ || last.staleness == Verdict::kNone) {
    return 0.0;
  }
  const std::int64_t updates = last.staleness == Verdict::kDropped
      ? options_.max_staleness
      : last.staleness;
  return static_cast<double>(updates) * last_lr_;
}

void ParameterServer::send_weights(int worker, double lr) {
  if (lr > 0.0) {
    prediction_->make([&] { shard_.apply(lr); });
  }
  mail_->send(shard_.parameters, worker, message::kWeightsTag).wait();
  if (lr > 0.0) {
    prediction_->take_back();
  }
}

void ParameterServer::update(const MessageHeader& request, Inbox& inbox) {
  const auto worker = static_cast<int>(request.worker);
  const at::Tensor& gradient = inbox.gradient();
  {
    std::unique_lock lock(mutex_);
    Verdict& verdict = verdicts_[static_cast<std::size_t>(worker)];
    VITRAIN_CHECK(
        request.version == verdict.version,
        ExitCode::kInternal,
        "worker {} read version {} and sent a gradient of version {}",
        worker,
        verdict.version,
        request.version);
    await(lock, [&] { return bound_.may_update(worker); });
    const auto staleness = bound_.update(worker);
    verdict.staleness = staleness.value_or(Verdict::kDropped);
    MessageHeader event = request;
    event.kind = staleness ? Kind::kUpdate : Kind::kDrop;
    tell(event);
    if (staleness) {
      apply(gradient, request.lr);
    }
  }
  inbox.open_gradient();
}

void ParameterServer::settle(int worker) {
  std::unique_lock lock(mutex_);
  if (++settling_ == layout_.workers) {
    tell({.kind = Kind::kSettle});
    settlement_ = packed_state();
    ++settlements_;
    changed_.notify_all();
  } else {
    await(
        lock, [this, before = settlements_] { return settlements_ != before; });
  }
  const at::Tensor state = settlement_;
  if (--settling_ == 0) {
    settlement_.reset();
  }
  Verdict verdict =
      std::exchange(verdicts_[static_cast<std::size_t>(worker)], Verdict{});
  verdict.version = bound_.version();
  lock.unlock();
  auto first = mail_->send(verdict.pack(), worker, message::kVerdictTag);
  mail_->send(state, worker, message::kStateTag).wait();
  first.wait();
}

void ParameterServer::tell(const MessageHeader& event) {
  for (int other = 1; other < layout_.servers; ++other) {
    events_.push_back(
        mail_->send(event.pack(), layout_.place_of(other), message::kEventTag));
  }
  while (events_.size() > kEventsUnderWay) {
    events_.front().wait();
    events_.pop_front();
  }
}

template <typename Ready>
void ParameterServer::await(
    std::unique_lock<std::mutex>& lock,
    const Ready& ready) {
  changed_.wait(lock, [&] { return closing_ || ready(); });
  VITRAIN_CHECK(
      !closing_, ExitCode::kWorkerDied, "the parameter server is closing");
}

void ParameterServer::follow() {
  Headers events(*mail_, layout_.place_of(0), message::kEventTag);
  std::vector<Inbox> inboxes;
  for (int worker = 0; worker < layout_.workers; ++worker) {
    inboxes.emplace_back(*mail_, worker, shard_.gradients);
  }
  while (true) {
    const MessageHeader event = events.next();
    Inbox& inbox = inboxes.at(static_cast<std::size_t>(event.worker));
    const auto worker = static_cast<int>(event.worker);
    switch (event.kind) {
      case Kind::kRead:
        send_weights(worker, event.lr);
        break;
      case Kind::kUpdate:
        apply(inbox.gradient(), event.lr);
        inbox.open_gradient();
        break;
      case Kind::kDrop:
        inbox.gradient();
        inbox.open_gradient();
        break;
      case Kind::kWithdraw:
        break;
      case Kind::kSettle: {
        const at::Tensor state = packed_state();
        for (int to = 0; to < layout_.workers; ++to) {
          mail_->send(state, to, message::kStateTag).wait();
        }
        break;
      }
    }
  }
}

void ParameterServer::apply(const at::Tensor& gradient, double lr) {
  shard_.gradients.copy_(gradient);
  shard_.apply(lr);
  last_lr_ = lr;
}

at::Tensor ParameterServer::packed_state() const {
  std::vector<at::Tensor> parts{shard_.parameters};
  for (const at::Tensor& tensor : shard_.state) {
    parts.push_back(tensor.reshape({-1}));
  }
  return at::cat(parts);
}

} // namespace vitrain::dist

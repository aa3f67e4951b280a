#include "dist/sync/async_ps.h"

#include <algorithm>
#include <future>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/check.h"
#include "core/system/clock.h"

namespace vitrain::dist {

using message::Kind;
using message::MessageHeader;
using message::Verdict;

namespace {

using Tensors = std::vector<at::Tensor>;

std::int64_t elements(const Tensors& tensors) {
  std::int64_t count = 0;
  for (const at::Tensor& tensor : tensors) {
    count += tensor.numel();
  }
  return count;
}

void pack(const Tensors& views, const at::Tensor& flat) {
  std::int64_t offset = 0;
  for (const at::Tensor& view : views) {
    flat.narrow(0, offset, view.numel()).copy_(view.reshape({-1}));
    offset += view.numel();
  }
}

// Copies elements of `flat` from `offset` on into `views`. Returns the offset
// after the last element copied.
std::int64_t
unpack(const at::Tensor& flat, const Tensors& views, std::int64_t offset = 0) {
  for (const at::Tensor& view : views) {
    view.copy_(flat.narrow(0, offset, view.numel()).view(view.sizes()));
    offset += view.numel();
  }
  return offset;
}

at::Tensor flat_buffer(std::int64_t elements) {
  return at::empty({elements}, at::kFloat);
}

} // namespace

struct AsyncPs::Connection {
  ReplicaShard shard;
  at::Tensor gradients = flat_buffer(elements(shard.gradients));
  at::Tensor weights = flat_buffer(elements(shard.parameters));
  Mailbox::Message pushing{};

  // Returns a new buffer for the weights followed by the optimizer state.
  at::Tensor state_buffer() const {
    return flat_buffer(elements(shard.parameters) + elements(shard.state));
  }
};

AsyncPs::AsyncPs(
    Group& group,
    std::vector<GradientBuffer> gradients,
    std::vector<ReplicaShard> shards,
    std::optional<ServerShard> own,
    const ConnectMailbox& connect,
    const AsyncPsOptions& options)
    : group_(group),
      local_(alone_, std::move(gradients), {}),
      options_(options),
      layout_{
          .workers = group.size(),
          .servers = static_cast<int>(shards.size())},
      own_(std::move(own)) {
  for (ReplicaShard& shard : shards) {
    connections_.push_back({.shard = std::move(shard)});
  }
  // connect() waits until all mailboxes are connected, and this rank may have
  // two: one as worker, one as server.
  std::future<std::unique_ptr<Mailbox>> server_mail;
  if (own_) {
    server_mail = std::async(std::launch::async, [&] {
      return connect(layout_.place_of(group_.rank()), layout_.places());
    });
  }
  mail_ = connect(group_.rank(), layout_.places());
  if (own_) {
    server_mail_ = server_mail.get();
  }
}

AsyncPs::~AsyncPs() = default;

std::int64_t AsyncPs::begin_step(const StepInfo& step) {
  const at::NoGradGuard no_grad;
  if (!started_) {
    start_server();
    started_ = true;
  }
  step_ = step.step;
  // Verdicts that the last flush() received.
  traffic_ = std::exchange(unreported_, {});
  const auto rank = static_cast<std::size_t>(group_.rank());
  takes_part_ = step.samples[rank] > 0;
  if (takes_part_) {
    fetch(Kind::kRead);
    traffic_.add(std::exchange(unreported_, {}));
  }
  return std::max<std::int64_t>(1, step.samples[rank]);
}

void AsyncPs::begin_micro_batch(bool last, bool empty) {
  local_.begin_micro_batch(last, empty);
}

bool AsyncPs::finish() {
  local_.finish();
  return takes_part_;
}

void AsyncPs::apply(
    const Update& update,
    const std::function<void()>& /*own*/) {
  if (update.non_finite.item<float>() != 0.0F) {
    ask(Kind::kWithdraw);
    return;
  }
  const Stopwatch watch;
  ask(Kind::kUpdate, update.lr);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = connections_[i];
    wait(connection.pushing);
    pack(connection.shard.gradients, connection.gradients);
    connection.pushing = mail_->send(
        connection.gradients,
        layout_.place_of(static_cast<int>(i)),
        message::kGradientTag);
    traffic_.bytes += static_cast<std::int64_t>(connection.gradients.nbytes());
  }
  waited(watch.seconds());
  undecided_ = true;
  ++counts_.pushed;
}

void AsyncPs::flush(const std::function<void()>& /*update*/) {
  if (!started_) {
    return; // no step yet: the replicas are still equal
  }
  const at::NoGradGuard no_grad;
  fetch(Kind::kSettle);
  // After the barrier no rank needs another rank's server any more.
  group_.barrier();
}

void AsyncPs::fetch(Kind request) {
  const Stopwatch watch;
  const bool read = request == Kind::kRead;
  Tensors arrived;
  std::vector<Mailbox::Message> arriving;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const Connection& connection = connections_[i];
    arrived.push_back(read ? connection.weights : connection.state_buffer());
    arriving.push_back(mail_->receive(
        arrived.back(),
        layout_.place_of(static_cast<int>(i)),
        read ? message::kWeightsTag : message::kStateTag));
    traffic_.bytes += static_cast<std::int64_t>(arrived.back().nbytes());
  }
  const at::Tensor verdict = at::empty({Verdict::kSize}, at::kLong);
  auto verdict_arriving =
      mail_->receive(verdict, layout_.place_of(0), message::kVerdictTag);
  ask(request);
  wait(verdict_arriving);
  hear(Verdict::unpack(verdict));
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    wait(arriving[i]);
    const ReplicaShard& shard = connections_[i].shard;
    const std::int64_t end = unpack(arrived[i], shard.parameters);
    if (!read) {
      unpack(arrived[i], shard.state, end);
    }
  }
  // The server has answered, so all earlier requests have arrived.
  for (Mailbox::Message& message : requests_) {
    wait(message);
  }
  requests_.clear();
  waited(watch.seconds());
}

void AsyncPs::ask(Kind kind, double lr) {
  const MessageHeader header{
      .kind = kind,
      .worker = group_.rank(),
      .step = step_,
      .version = counts_.version,
      .lr = lr};
  requests_.push_back(
      mail_->send(header.pack(), layout_.place_of(0), message::kRequestTag));
}

void AsyncPs::hear(const Verdict& verdict) {
  counts_.version = verdict.version;
  if (!undecided_) {
    return;
  }
  undecided_ = false;
  if (verdict.staleness == Verdict::kDropped) {
    ++counts_.dropped;
    ++unreported_.dropped;
  } else {
    ++counts_.applied;
    unreported_.staleness.add(verdict.staleness);
    counts_.largest_staleness =
        std::max(counts_.largest_staleness, verdict.staleness);
  }
}

void AsyncPs::waited(double seconds) {
  // None of this waiting overlaps with computation.
  traffic_.exposed_seconds += seconds;
  traffic_.busy_seconds += seconds;
}

void AsyncPs::wait(Mailbox::Message& message) {
  try {
    message.wait();
  } catch (const Error&) {
    if (server_ != nullptr) {
      server_->check();
    }
    throw;
  }
}

void AsyncPs::start_server() {
  if (!own_) {
    return;
  }
  // Copied here rather than in the constructor, because weights and states are
  // loaded after construction.
  const ReplicaShard& replica =
      connections_[static_cast<std::size_t>(group_.rank())].shard;
  pack(replica.parameters, own_->parameters);
  for (std::size_t i = 0; i < replica.state.size(); ++i) {
    own_->state[i].copy_(replica.state[i]);
  }
  server_ = std::make_unique<ParameterServer>(
      std::move(server_mail_),
      *std::move(own_),
      layout_,
      group_.rank(),
      options_);
  own_.reset();
}

} // namespace vitrain::dist

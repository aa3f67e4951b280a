#include "dist/group/group.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "core/check.h"

namespace vitrain::dist {
namespace {

// Whatever c10d throws means that a collective failed: a peer died, a timeout.
template <typename Call>
auto guarded(const char* what, Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    fail(
        ExitCode::kWorkerDied,
        "{} failed, probably because another worker is gone: {}",
        what,
        text.substr(0, text.find('\n')));
  }
}

c10d::AllreduceOptions reduce_with(c10d::ReduceOp::RedOpType op) {
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  return options;
}

} // namespace

Pending::Pending() = default;
Pending::Pending(c10::intrusive_ptr<c10d::Work> work)
    : work_(std::move(work)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;
Pending::~Pending() = default;

void Pending::wait() {
  if (!work_) {
    return;
  }
  const auto work = std::move(work_);
  guarded("a collective", [&] { return work->wait(); });
}

void Pending::when_finished(std::function<void()> callback) {
  if (work_) {
    work_->getFuture()->addCallback(
        [callback = std::move(callback)](c10::ivalue::Future& /*future*/) {
          callback();
        });
  }
}

Group::Group() = default;

Group::Group(
    c10::intrusive_ptr<c10d::Store> store,
    c10::intrusive_ptr<c10d::Backend> backend,
    int rank,
    int size)
    : store_(std::move(store)),
      backend_(std::move(backend)),
      rank_(rank),
      size_(size) {}

Group::~Group() = default;

void Group::all_reduce(at::Tensor tensor) {
  all_reduce_async(std::move(tensor)).wait();
}

Pending Group::all_reduce_async(at::Tensor tensor) {
  if (alone()) {
    return {};
  }
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return Pending(guarded("all-reduce", [&] {
    return backend_->allreduce(tensors, reduce_with(c10d::ReduceOp::SUM));
  }));
}

Pending Group::all_reduce_max_async(at::Tensor tensor) {
  if (alone()) {
    return {};
  }
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return Pending(guarded("all-reduce", [&] {
    return backend_->allreduce(tensors, reduce_with(c10d::ReduceOp::MAX));
  }));
}

void Group::broadcast(at::Tensor tensor) {
  if (alone()) {
    return;
  }
  std::vector<at::Tensor> tensors{std::move(tensor)};
  c10d::BroadcastOptions options;
  options.rootRank = 0;
  Pending(guarded("broadcast", [&] {
    return backend_->broadcast(tensors, options);
  })).wait();
}

std::vector<at::Tensor> Group::all_gather(const at::Tensor& tensor) {
  if (alone()) {
    return {tensor.clone()};
  }
  std::vector<at::Tensor> inputs{tensor.contiguous()};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < size_; ++i) {
    outputs[0].push_back(at::empty_like(inputs[0]));
  }
  Pending(guarded("all-gather", [&] {
    return backend_->allgather(outputs, inputs);
  })).wait();
  return outputs[0];
}

void Group::all_gather_into(at::Tensor whole, at::Tensor own) {
  if (alone()) {
    if (whole.data_ptr() != own.data_ptr()) {
      whole.copy_(own);
    }
    return;
  }
  Pending(guarded("all-gather", [&] {
    return backend_->_allgather_base(whole, own);
  })).wait();
}

void Group::barrier() {
  // One element through the data path: c10d's own barrier keeps a static CUDA
  // tensor whose destructor runs after main.
  all_reduce(at::zeros({1}, at::kInt));
}

void Group::set_timeout(double seconds) {
  if (!alone()) {
    backend_->setTimeout(
        std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3)));
  }
}

bool Group::alone() const {
  VITRAIN_CHECK(
      backend_ || size_ == 1,
      ExitCode::kInternal,
      "a collective was called after the group had been shut down");
  return !backend_;
}

void Group::shutdown() {
  if (backend_) {
    backend_->shutdown();
    backend_.reset();
  }
  store_.reset();
}

} // namespace vitrain::dist

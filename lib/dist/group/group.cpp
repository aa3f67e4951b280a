#include "dist/group/group.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "core/check.h"
#include "dist/group/guarded.h"

namespace vitrain::dist {
namespace {

Pending all_reduce_by(
    c10d::ReduceOp::RedOpType op,
    c10d::Backend& backend,
    at::Tensor tensor) {
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return Pending(guarded(
      "all-reduce", [&] { return backend.allreduce(tensors, options); }));
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
  return alone() ? Pending()
                 : all_reduce_by(c10d::ReduceOp::SUM, *backend_, tensor);
}

Pending Group::all_reduce_max_async(at::Tensor tensor) {
  return alone() ? Pending()
                 : all_reduce_by(c10d::ReduceOp::MAX, *backend_, tensor);
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
  all_gather_into_async(std::move(whole), std::move(own)).wait();
}

Pending Group::all_gather_into_async(at::Tensor whole, at::Tensor own) {
  if (alone()) {
    if (whole.data_ptr() != own.data_ptr()) {
      whole.copy_(own);
    }
    return {};
  }
  return Pending(guarded(
      "all-gather", [&] { return backend_->_allgather_base(whole, own); }));
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

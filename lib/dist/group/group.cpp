#include "dist/group/group.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "core/check.h"
#include "core/system/activity.h"
#include "dist/group/guarded.h"

namespace vitrain::dist {
namespace {

c10d::AllreduceOptions reducing_by(c10d::ReduceOp::RedOpType op) {
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  return options;
}

} // namespace

Pending::Pending() = default;
Pending::Pending(std::string name, c10::intrusive_ptr<c10d::Work> work)
    : name_(std::move(name)), work_(std::move(work)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;
Pending::~Pending() = default;

void Pending::wait() {
  if (!work_) {
    return;
  }
  const auto work = std::move(work_);
  const Doing doing("waits in " + name_, /*waits=*/true);
  guarded(name_, [&] { return work->wait(); });
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
    int size,
    std::string name)
    : store_(std::move(store)),
      backend_(std::move(backend)),
      rank_(rank),
      size_(size),
      name_(std::move(name)) {}

Group::~Group() = default;

template <typename Start>
Pending Group::begin(const char* kind, const Start& start) {
  if (alone()) {
    return {};
  }
  count_collective();
  std::string name = fmt::format("{} {} ({})", kind, ++begun_, name_);
  const Doing doing(name);
  auto work = guarded(name, start);
  return {std::move(name), std::move(work)};
}

void Group::all_reduce(at::Tensor tensor) {
  all_reduce_async(std::move(tensor)).wait();
}

Pending Group::all_reduce_async(at::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return begin("all-reduce", [&] {
    return backend_->allreduce(tensors, reducing_by(c10d::ReduceOp::SUM));
  });
}

Pending Group::all_reduce_max_async(at::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return begin("all-reduce", [&] {
    return backend_->allreduce(tensors, reducing_by(c10d::ReduceOp::MAX));
  });
}

void Group::broadcast(at::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  c10d::BroadcastOptions options;
  options.rootRank = 0;
  begin("broadcast", [&] {
    return backend_->broadcast(tensors, options);
  }).wait();
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
  begin("all-gather", [&] {
    return backend_->allgather(outputs, inputs);
  }).wait();
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
  return begin(
      "all-gather", [&] { return backend_->_allgather_base(whole, own); });
}

void Group::all_to_all(at::Tensor received, at::Tensor own) {
  if (alone()) {
    received.copy_(own);
    return;
  }
  std::vector<std::int64_t> equal; // parts of equal length
  begin("all-to-all", [&] {
    return backend_->alltoall_base(received, own, equal, equal);
  }).wait();
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

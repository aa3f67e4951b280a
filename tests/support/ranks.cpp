#include "support/ranks.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace vitrain::testing {
namespace {

constexpr std::chrono::seconds kTimeout{60};

c10::intrusive_ptr<c10d::ProcessGroupGloo> make_gloo(
    const std::string& name,
    const c10::intrusive_ptr<c10d::Store>& store,
    int rank,
    int size) {
  auto options = c10d::ProcessGroupGloo::Options::create(kTimeout);
  options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>(name, store), rank, size, options);
}

// Disables c10d's flight recorder, which is one object per process. Gloo groups
// write to it without a lock: ranks that are threads would crash. The first
// group reads these variables, so they are set before main().
[[maybe_unused]] const bool kNoFlightRecorder =
    ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/1) == 0 &&
    ::setenv("TORCH_NCCL_TRACE_BUFFER_SIZE", "0", /*overwrite=*/1) == 0;

// Gloo may write to connections that the other end has closed. Workers ignore
// SIGPIPE, too (launch::StopRequest).
[[maybe_unused]] const bool kIgnoreBrokenPipes =
    ::signal(SIGPIPE, SIG_IGN) != SIG_ERR;

} // namespace

// Counts collectives of dist::Group and passes them on to Gloo.
class Rank::CountingBackend final : public c10d::Backend {
 public:
  CountingBackend(c10::intrusive_ptr<c10d::Backend> inner, int rank, int size)
      : Backend(rank, size), inner_(std::move(inner)) {}

  const std::string getBackendName() const override { return "counting"; }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>& tensors,
      const c10d::AllreduceOptions& options) override {
    count(tensors);
    return inner_->allreduce(tensors, options);
  }

  c10::intrusive_ptr<c10d::Work> broadcast(
      std::vector<at::Tensor>& tensors,
      const c10d::BroadcastOptions& options) override {
    count(tensors);
    return inner_->broadcast(tensors, options);
  }

  c10::intrusive_ptr<c10d::Work> allgather(
      std::vector<std::vector<at::Tensor>>& outputs,
      std::vector<at::Tensor>& inputs,
      const c10d::AllgatherOptions& options) override {
    count(inputs);
    return inner_->allgather(outputs, inputs, options);
  }

  c10::intrusive_ptr<c10d::Work> _allgather_base(
      at::Tensor& output,
      at::Tensor& input,
      const c10d::AllgatherOptions& options) override {
    std::vector<at::Tensor> inputs{input};
    count(inputs);
    return inner_->_allgather_base(output, input, options);
  }

  c10::intrusive_ptr<c10d::Work> alltoall_base(
      at::Tensor& output,
      at::Tensor& input,
      std::vector<std::int64_t>& output_sizes,
      std::vector<std::int64_t>& input_sizes,
      const c10d::AllToAllOptions& options) override {
    std::vector<at::Tensor> inputs{input};
    count(inputs);
    return inner_->alltoall_base(
        output, input, output_sizes, input_sizes, options);
  }

  std::int64_t collectives() const { return collectives_; }
  std::int64_t elements() const { return elements_; }

 private:
  void count(const std::vector<at::Tensor>& tensors) {
    ++collectives_;
    for (const at::Tensor& tensor : tensors) {
      elements_ += tensor.numel();
    }
  }

  c10::intrusive_ptr<c10d::Backend> inner_;
  std::atomic<std::int64_t> collectives_ = 0;
  std::atomic<std::int64_t> elements_ = 0;
};

Rank::Rank(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size)
    : store_(store), rank_(rank), size_(size) {
  counter_ = c10::make_intrusive<CountingBackend>(
      make_gloo("data", store, rank, size), rank, size);
  data_ = std::make_unique<dist::Group>(store, counter_, rank, size);
  control_ = std::make_unique<dist::Group>(
      store, make_gloo("control", store, rank, size), rank, size);
}

Rank::~Rank() = default;

dist::Group& Rank::block(int size) {
  std::unique_ptr<dist::Group>& block = blocks_[size];
  if (block == nullptr) {
    const std::string name = "block" + std::to_string(size) + "of" +
        std::to_string(rank_ / size * size);
    const int place = rank_ % size;
    block = std::make_unique<dist::Group>(
        store_, make_gloo(name, store_, place, size), place, size);
  }
  return *block;
}

std::unique_ptr<dist::Mailbox>
Rank::mailbox(const std::string& name, int place, int places) {
  return std::make_unique<dist::Mailbox>(
      make_gloo("mail " + name, store_, place, places));
}

std::int64_t Rank::collectives() const {
  return counter_->collectives();
}

std::int64_t Rank::elements() const {
  return counter_->elements();
}

c10::intrusive_ptr<c10d::ProcessGroup> Rank::process_group() {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store_, rank_, size_);
  group->setBackend(
      at::kCPU,
      c10d::ProcessGroup::BackendType::GLOO,
      make_gloo("process_group", store_, rank_, size_));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

void Rank::leave() {
  counter_.reset();
  data_.reset();
  control_.reset();
  blocks_.clear();
}

void run_ranks(int size, const std::function<void(Rank&)>& body) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::mutex mutex;
  std::exception_ptr first;
  // Groups live until all ranks are done: a rank that ends early must not
  // close connections under a peer's last collective.
  std::vector<std::unique_ptr<Rank>> ranks(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int index = 0; index < size; ++index) {
    threads.emplace_back([&, index] {
      at::set_num_threads(1);
      std::unique_ptr<Rank>& rank = ranks[static_cast<std::size_t>(index)];
      try {
        rank = std::make_unique<Rank>(store, index, size);
        body(*rank);
      } catch (...) {
        {
          const std::lock_guard lock(mutex);
          if (!first) {
            first = std::current_exception();
          }
        }
        if (rank) {
          rank->leave();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

} // namespace vitrain::testing

#include "networks/layers/recompute.h"

#include <memory>
#include <mutex>
#include <utility>

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "core/check.h"
#include "networks/layers/layers.h"
#include "networks/layers/narrow.h"

namespace vitrain::networks {
namespace {

thread_local std::int64_t every_now = 0;
thread_local std::int64_t blocks_now = 0;
thread_local const BlockObserver* observer_now = nullptr;

// Autocast settings of a forward pass. Backward runs on another thread, which
// does not have them.
struct AutocastState {
  bool enabled;
  bool cached;
  at::ScalarType type;
};

AutocastState autocast_of(c10::DeviceType device) {
  return {
      at::autocast::is_autocast_enabled(device),
      at::autocast::is_autocast_cache_enabled(),
      at::autocast::get_autocast_dtype(device)};
}

void set_autocast(c10::DeviceType device, const AutocastState& state) {
  at::autocast::set_autocast_enabled(device, state.enabled);
  at::autocast::set_autocast_cache_enabled(state.cached);
  at::autocast::set_autocast_dtype(device, state.type);
}

class SameAutocast {
 public:
  SameAutocast(c10::DeviceType device, const AutocastState& state)
      : device_(device), before_(autocast_of(device)) {
    set_autocast(device_, state);
  }
  ~SameAutocast() { set_autocast(device_, before_); }
  SameAutocast(const SameAutocast&) = delete;
  SameAutocast& operator=(const SameAutocast&) = delete;

 private:
  c10::DeviceType device_;
  AutocastState before_;
};

at::Tensor drawn_state(at::Generator generator) {
  if (!generator.defined()) {
    return {};
  }
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

// Sets a generator to an earlier state, and restores its current one at the end
// of the scope.
class SameDraws {
 public:
  SameDraws(at::Generator generator, const at::Tensor& state)
      : generator_(std::move(generator)), before_(drawn_state(generator_)) {
    set(state);
  }
  ~SameDraws() { set(before_); }
  SameDraws(const SameDraws&) = delete;
  SameDraws& operator=(const SameDraws&) = delete;

 private:
  void set(const at::Tensor& state) {
    if (generator_.defined()) {
      const std::lock_guard lock(generator_.mutex());
      generator_.set_state(state);
    }
  }

  at::Generator generator_;
  at::Tensor before_;
};

at::Tensor detached(const at::Tensor& x) {
  return x.detach().set_requires_grad(true);
}

// Backward of a block whose graph was dropped: runs the block again.
class BlockAgain final : public torch::autograd::Node {
 public:
  BlockAgain(const at::Tensor& x, at::Generator dropout, BlockForward block)
      : x_(x.detach()),
        version_(x_._version()),
        dropout_(std::move(dropout)),
        drawn_(drawn_state(dropout_)),
        autocast_(autocast_of(x.device().type())),
        copies_(narrow_copies()),
        block_(std::move(block)) {}

  torch::autograd::variable_list apply(
      torch::autograd::variable_list&& gradients) override {
    if (!gradients[0].defined()) {
      return {at::Tensor()};
    }
    VITRAIN_CHECK(
        x_.defined() && x_._version() == version_,
        ExitCode::kInternal,
        "the input of a block that is computed again was changed or is gone");
    const at::Tensor x = detached(std::exchange(x_, {}));
    at::Tensor y;
    {
      const at::AutoGradMode with_graph(true);
      const SameAutocast autocast(x.device().type(), autocast_);
      const NarrowScope copies(copies_);
      const SameDraws draws(dropout_, drawn_);
      const DropoutScope masks(dropout_);
      y = block_(x);
    }
    // Accumulates parameter gradients as without recomputation: each is added
    // to its buffer and passed to its hooks as soon as it is complete.
    torch::autograd::backward({y}, {gradients[0]});
    return {x.grad()};
  }

  void release_variables() override {
    x_ = at::Tensor();
    block_ = nullptr;
  }

 private:
  at::Tensor x_;
  std::uint32_t version_;
  at::Generator dropout_;
  at::Tensor drawn_;
  AutocastState autocast_;
  const std::vector<NarrowCopy>* copies_;
  BlockForward block_;
};

} // namespace

RecomputeScope::RecomputeScope(std::int64_t every)
    : outer_every_(std::exchange(every_now, every)),
      outer_blocks_(std::exchange(blocks_now, 0)) {}

RecomputeScope::~RecomputeScope() {
  every_now = outer_every_;
  blocks_now = outer_blocks_;
}

std::int64_t recomputable_blocks() {
  return blocks_now;
}

BlockObserver::BlockObserver(
    std::function<void()> begins,
    std::function<void(const at::Tensor& y)> ends)
    : begins_(std::move(begins)),
      ends_(std::move(ends)),
      outer_(std::exchange(observer_now, this)) {}

BlockObserver::~BlockObserver() {
  observer_now = outer_;
}

namespace {

at::Tensor kept_or_again(
    const at::Tensor& x,
    const at::Generator& dropout,
    const BlockForward& block) {
  const std::int64_t number = blocks_now++;
  if (every_now == 0 || number % every_now != 0 ||
      !at::GradMode::is_enabled() || !x.requires_grad()) {
    return block(x);
  }
  const auto node = std::make_shared<BlockAgain>(
      x, dropout.defined() ? dropout : dropout_masks(), block);
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  // Builds a graph, although it is dropped at once: torch chooses some kernels
  // by whether a graph is built, and the forward pass and its recomputation
  // must use the same ones.
  at::Tensor y = block(detached(x)).detach();
  torch::autograd::set_history(y, node);
  return y;
}

} // namespace

at::Tensor run_block(
    const at::Tensor& x,
    const at::Generator& dropout,
    const BlockForward& block) {
  if (observer_now == nullptr) {
    return kept_or_again(x, dropout, block);
  }
  observer_now->begins();
  at::Tensor y = kept_or_again(x, dropout, block);
  observer_now->ends(y);
  return y;
}

} // namespace vitrain::networks

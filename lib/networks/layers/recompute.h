#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

// Activation checkpointing (Chen et al., "Training deep nets with sublinear
// memory cost", 2016): only the input of a block is kept for backward, which
// recomputes the block.
namespace vitrain::networks {

// Enables recomputation in this thread's forward passes within the scope: the
// first block and every `every`-th after it are recomputed in backward; 0:
// none.
class RecomputeScope {
 public:
  explicit RecomputeScope(std::int64_t every);
  ~RecomputeScope();
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;

 private:
  std::int64_t outer_every_;
  std::int64_t outer_blocks_;
};

// Number of blocks that ran in this thread's innermost scope.
std::int64_t recomputable_blocks();

// While it lives, is called when a block begins on this thread and when it
// ends, with its output.
class BlockObserver {
 public:
  BlockObserver(
      std::function<void()> begins,
      std::function<void(const at::Tensor& y)> ends);
  ~BlockObserver();
  BlockObserver(const BlockObserver&) = delete;
  BlockObserver& operator=(const BlockObserver&) = delete;

  void begins() const { begins_(); }
  void ends(const at::Tensor& y) const { ends_(y); }

 private:
  std::function<void()> begins_;
  std::function<void(const at::Tensor& y)> ends_;
  const BlockObserver* outer_;
};

// Returns block(x). Backward calls `block` again with the same x, autocast
// state and random numbers of `dropout` (undefined: it uses none), so that
// gradients are bit-identical to those without recomputation. The block must
// have no side effects (no running statistics), and everything it refers to
// must live until backward. A block whose x needs no gradient is not
// recomputed.
using BlockForward = std::function<at::Tensor(const at::Tensor& x)>;
at::Tensor run_block(
    const at::Tensor& x,
    const at::Generator& dropout,
    const BlockForward& block);

// Runs x through the blocks, which are pointers to modules with forward(x,
// args...), each by run_block().
template <typename Blocks, typename... Args>
at::Tensor run_blocks(
    at::Tensor x,
    const at::Generator& dropout,
    const Blocks& blocks,
    const Args&... args) {
  for (const auto& block : blocks) {
    x = run_block(x, dropout, [block, args...](const at::Tensor& in) {
      return block->forward(in, args...);
    });
  }
  return x;
}

} // namespace vitrain::networks

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
// first block and every `every`-th after it are recomputed in backward. 0
// disables it.
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

// Returns the number of blocks that have run in this thread's innermost
// RecomputeScope.
std::int64_t recomputable_blocks();

// Observer of the run_block() calls of its thread, unless a newer BlockObserver
// exists there: calls `begins` when one begins, and `ends` with the block's
// output when it ends.
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

using BlockForward = std::function<at::Tensor(const at::Tensor& x)>;

// Returns block(x). If the RecomputeScope selects this block and x needs a
// gradient, keeps only x, and backward calls `block` again with the same x,
// autocast settings and random numbers from `dropout` (undefined: from
// dropout_masks(), if any), so that gradients are bit-identical to those
// without recomputation. The block must have no side effects (no running
// statistics), and everything it refers to must live until backward.
at::Tensor run_block(
    const at::Tensor& x,
    const at::Generator& dropout,
    const BlockForward& block);

// Runs x through `blocks`, each by run_block(). A block is a pointer to a
// module with forward(x, args...).
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

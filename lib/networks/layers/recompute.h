#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

// Activation checkpointing (Chen et al., "Training deep nets with sublinear
// memory cost", 2016): of a block only the input is kept for backward, which
// computes the block again.
namespace vitrain::networks {

// Of the forward passes of this thread in its scope, each `every`-th block is
// computed again in backward, beginning with the first; 0: none is.
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

// Blocks that have run in this thread's innermost scope, kept or not.
std::int64_t recomputable_blocks();

// As long as it lives, is told when a block begins on this thread, and what
// came of it.
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

// block(x). It is called again in backward, at that time's weights, with the
// same x, autocast and draws from `dropout` (or undefined: it draws nothing),
// so that all gradients have the bits that they have without. It must change
// nothing but its result (no running statistics), and own what it refers to or
// outlive backward with it. A block whose x needs no gradient is not computed
// again.
using BlockForward = std::function<at::Tensor(const at::Tensor& x)>;
at::Tensor run_block(
    const at::Tensor& x,
    const at::Generator& dropout,
    const BlockForward& block);

// x through the blocks, pointers to modules with a forward(x, args...), each by
// run_block().
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

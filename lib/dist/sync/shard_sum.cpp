#include "dist/sync/shard_sum.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/check.h"

namespace vitrain::dist {
namespace {

class ShardSum final : public GradientSync {
 public:
  ShardSum(
      Group& group,
      ShardBuffers buffers,
      std::int64_t shards,
      std::int64_t micro_batches)
      : group_(group),
        buffers_(std::move(buffers)),
        micro_batches_(micro_batches) {
    VITRAIN_CHECK(
        shards > 0 && shards % group.size() == 0 &&
            (shards & (shards - 1)) == 0,
        ExitCode::kInternal,
        "{} shards cannot be divided among {} ranks",
        shards,
        group.size());
    std::int64_t size = 0;
    for (const at::Tensor& tensor : buffers_.gradients) {
      size += tensor.numel();
    }
    for (const at::Tensor& tensor : buffers_.statistics) {
      size += tensor.numel();
    }
    const std::int64_t ranks = group.size();
    padded_size_ = (size + ranks - 1) / ranks * ranks;
  }

  std::int64_t begin_step(const StepInfo& step) override {
    const at::NoGradGuard no_grad;
    traffic_ = {};
    filled_shards_ = std::ranges::count_if(
        step.samples, [](std::int64_t samples) { return samples > 0; });
    micro_batch_ = 0;
    has_samples_ = false;
    statistics_before_ = copies_of(buffers_.statistics);
    counters_before_ = copies_of(buffers_.counters);
    return std::max<std::int64_t>(
        1,
        std::accumulate(
            step.samples.begin(), step.samples.end(), std::int64_t{0}));
  }

  void begin_micro_batch(bool /*last*/, bool empty) override {
    has_samples_ = has_samples_ || !empty;
  }

  void end_micro_batch() override {
    if (++micro_batch_ % micro_batches_ == 0) {
      end_shard();
    }
  }

  bool finish() override {
    const at::NoGradGuard no_grad;
    VITRAIN_CHECK(
        sums_.size() == 1,
        ExitCode::kInternal,
        "a step ended after {} of its micro-batches",
        micro_batch_);
    const at::Tensor sum = sums_.back();
    add_exposed(traffic_, sum.device(), [&] { add_ranks(sum); });
    std::int64_t offset = 0;
    for (const at::Tensor& tensor : buffers_.gradients) {
      tensor.copy_(next_part(sum, tensor, offset));
    }
    if (filled_shards_ > 0) {
      for (const at::Tensor& tensor : buffers_.statistics) {
        tensor.copy_(next_part(sum, tensor, offset)
                         .div_(static_cast<double>(filled_shards_)));
      }
      for (const at::Tensor& counter : buffers_.counters) {
        counter.add_(micro_batches_);
      }
    }
    free_.push_back(sum);
    sums_.clear();
    return true;
  }

  Traffic traffic() const override { return traffic_; }

 private:
  static std::vector<at::Tensor> copies_of(
      const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& tensor : tensors) {
      copies.push_back(tensor.clone());
    }
    return copies;
  }

  // Returns the view of `flat` at `offset` with the shape of `tensor`, and
  // moves `offset` past it.
  static at::Tensor next_part(
      const at::Tensor& flat,
      const at::Tensor& tensor,
      std::int64_t& offset) {
    const at::Tensor part = flat.narrow(0, offset, tensor.numel());
    offset += tensor.numel();
    return part.view(tensor.sizes());
  }

  at::Tensor take_buffer() {
    if (free_.empty()) {
      return at::zeros({padded_size_}, buffers_.gradients.front().options());
    }
    at::Tensor buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }

  // Adds gradients and statistics of the shard that has ended to the tree.
  // Zeroes the gradients; restores statistics and counters from before the
  // step.
  void end_shard() {
    const at::NoGradGuard no_grad;
    const at::Tensor shard = take_buffer();
    std::int64_t offset = 0;
    for (const at::Tensor& tensor : buffers_.gradients) {
      next_part(shard, tensor, offset).copy_(tensor);
      tensor.zero_();
    }
    for (std::size_t i = 0; i < buffers_.statistics.size(); ++i) {
      const at::Tensor part = next_part(shard, buffers_.statistics[i], offset);
      if (has_samples_) {
        part.copy_(buffers_.statistics[i]);
      } else {
        part.zero_();
      }
      buffers_.statistics[i].copy_(statistics_before_[i]);
    }
    for (std::size_t i = 0; i < buffers_.counters.size(); ++i) {
      buffers_.counters[i].copy_(counters_before_[i]);
    }
    has_samples_ = false;
    sums_.push_back(shard);
    // As a binary counter: after an even number of shards the last two sums
    // are of equally many shards, and so on.
    for (std::int64_t ended = micro_batch_ / micro_batches_; ended % 2 == 0;
         ended /= 2) {
      const at::Tensor right = sums_.back();
      sums_.pop_back();
      sums_.back().add_(right);
      free_.push_back(right);
    }
  }

  // Replaces `sum` by its sum over the ranks: each rank adds one part of all
  // ranks' sums by the tree, and then all ranks gather the parts.
  void add_ranks(const at::Tensor& sum) {
    const std::int64_t ranks = group_.size();
    if (ranks == 1) {
      return;
    }
    const at::Tensor received = take_buffer();
    group_.all_to_all(received, sum);
    const at::Tensor parts = received.view({ranks, -1});
    for (std::int64_t width = 1; width < ranks; width *= 2) {
      for (std::int64_t rank = 0; rank < ranks; rank += 2 * width) {
        parts[rank].add_(parts[rank + width]);
      }
    }
    group_.all_gather_into(sum, parts[0]);
    traffic_.bytes += bytes_of(group_, sum) + bytes_of(group_, parts[0]);
    free_.push_back(received);
  }

  Group& group_;
  ShardBuffers buffers_;
  std::int64_t micro_batches_; // of a shard
  // Elements of a buffer for all gradients and statistics, rounded up to a
  // multiple of the ranks.
  std::int64_t padded_size_ = 0;
  std::vector<at::Tensor> sums_; // of complete subtrees, the largest first
  std::vector<at::Tensor> free_; // buffers for further sums
  std::vector<at::Tensor> statistics_before_; // before the step
  std::vector<at::Tensor> counters_before_;
  std::int64_t filled_shards_ = 0; // shards with samples, of all ranks
  std::int64_t micro_batch_ = 0; // ended micro-batches of this step
  bool has_samples_ = false; // of the current shard
  Traffic traffic_;
};

} // namespace

std::unique_ptr<GradientSync> make_shard_sum(
    Group& group,
    ShardBuffers buffers,
    std::int64_t shards,
    std::int64_t micro_batches) {
  return std::make_unique<ShardSum>(
      group, std::move(buffers), shards, micro_batches);
}

} // namespace vitrain::dist

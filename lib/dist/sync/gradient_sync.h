#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/traffic.h"
#include "dist/sync/bucket_exchange.h"

namespace torch::autograd {
struct Node;
} // namespace torch::autograd

namespace vitrain::dist {

// A parameter whose gradient lies in a flat buffer.
struct GradientSlot {
  std::string name;
  at::Tensor parameter; // its .grad is buffer[offset, offset + numel)
  std::int64_t offset = 0; // elements
};

// A flat gradient buffer and its slots, in the order in which backward finishes
// them.
struct GradientBuffer {
  at::Tensor gradients; // [n]
  std::vector<GradientSlot> slots;
  // [n] bool, may change between steps: marks pruned weights, which are held at
  // zero and whose gradients top-k never sends. Undefined: nothing is pruned.
  at::Tensor pruned{};
};

// Minimum sizes of the first and the other buckets, and compression of their
// content.
struct BucketOptions {
  std::int64_t first_bytes = 1 << 20;
  std::int64_t bytes = 25 << 20;
  Compress compress = Compress::kNone;
  PowerSgdOptions power_sgd{};
  TopKOptions top_k{};
};

// One optimizer step, as every rank knows it.
struct StepInfo {
  std::int64_t step = 0; // from 0
  // Number of samples of each rank (in make_shard_sum() of each shard), summed
  // over its micro-batches.
  std::vector<std::int64_t> samples;
};

// Update to apply in this step.
struct Update {
  double lr = 0.0;
  // Scalar fp32: 1 if the gradients are not finite, else 0.
  at::Tensor non_finite;
};

// Synchronises the workers' replicas: the interface between the train step and
// the mode of synchronisation (dist.sync.mode). All functions are collective in
// the sense that every rank must run the same sequence of steps and
// micro-batches.
//
// Protocol of a step: begin_step(); begin_micro_batch(), a backward pass and
// end_micro_batch(), once per micro-batch; finish(); apply(), when finish()
// says so; updated(); predict(). Between steps: flush().
class GradientSync {
 public:
  virtual ~GradientSync() = default;

  // Returns the divisor for this rank's summed losses in this step, so that the
  // gradients after finish() are means: the number of samples over which the
  // mode sums gradients, at least 1.
  virtual std::int64_t begin_step(const StepInfo& step) = 0;
  // Announces a backward pass. Gradients of all micro-batches of a step except
  // the last only accumulate; during the last one they may already be
  // exchanged. `empty`: this rank has no samples and will not run backward.
  virtual void begin_micro_batch(bool last, bool empty) = 0;
  // Called after each micro-batch, also an empty one.
  virtual void end_micro_batch() {}
  // Completes the exchange: afterwards the gradient buffers hold the gradients
  // to apply. Returns false if this step applies nothing.
  virtual bool finish() = 0;
  // Returns true if finish() provides the gradients of the previous step, to be
  // applied with its learning rate.
  virtual bool one_step_late() const { return false; }
  // Applies the gradients in the buffers, which may have been clipped since
  // finish(). By default calls `own`, the update by this rank's optimizer;
  // modes with parameter servers override this.
  virtual void apply(
      const Update& /*update*/,
      const std::function<void()>& own) {
    own();
  }
  // Returns true if apply() only calls `own`, and nothing else reads the
  // gradients after finish().
  virtual bool updates_alone() const { return true; }
  // Called after the step's update was applied or skipped.
  virtual void updated() {}
  // In modes that predict: replaces parameters and optimizer state by predicted
  // values, at which the next gradients are computed; ranks may then differ.
  // `update` applies the gradients in the buffers, which this function may
  // overwrite. finish() and flush() undo the prediction.
  virtual void predict(const std::function<void()>& /*update*/) {}
  // Synchronises the replicas: afterwards all ranks have equal parameters and
  // nothing is in flight. `update` applies the gradients in the buffers. Called
  // before every evaluation and checkpoint, and at the end. Collective.
  virtual void flush(const std::function<void()>& /*update*/) {}
  // Returns the state for a checkpoint, by name. load_state() and steps change
  // these tensors in place. Equal on all ranks after flush().
  virtual std::map<std::string, at::Tensor> state() const { return {}; }
  // Returns the number of steps that a rank may be ahead of the slowest one
  // without waiting.
  virtual std::int64_t lead() const { return 0; }
  // Returns the largest magnitude among the gradients that this rank narrowed
  // to a smaller range in the last finish(), before narrowing; NaN or infinity
  // if they were not finite; nullopt if the mode does not narrow them. Waits
  // for the device.
  virtual std::optional<double> largest_sent() const { return std::nullopt; }
  // Returns the communication of the last step: of gradients, and between
  // finish() and updated() of parameters.
  virtual Traffic traffic() const = 0;
};

// All-reduce in buckets that overlaps with backward (Li et al., "PyTorch
// Distributed", VLDB 2020). Each buffer is divided into fixed buckets of whole
// parameters (the first of at least `first_bytes`, the others of at least
// `bytes`, except the last). A bucket is all-reduced, in fixed order, once its
// last gradient is complete. The layout never changes, so a resumed run adds in
// the same order; docs/decisions/002 explains why this is not c10d::Reducer.
// After finish() the buffers hold averages over the batches of all ranks of the
// group, approximate ones with a lossy BucketOptions::compress.
class BucketedAllReduce final : public GradientSync {
 public:
  BucketedAllReduce(
      Group& group,
      std::vector<GradientBuffer> buffers,
      const BucketOptions& options);
  ~BucketedAllReduce() override;

  std::int64_t begin_step(const StepInfo& step) override;
  void begin_micro_batch(bool last, bool empty) override;
  bool finish() override;
  void flush(const std::function<void()>& update) override;
  std::map<std::string, at::Tensor> state() const override;
  std::optional<double> largest_sent() const override;
  Traffic traffic() const override { return traffic_; }

  // Sums the gradients of the following steps over `group` instead.
  void use_group(Group& group) { group_ = &group; }

 private:
  struct Bucket;

  void cut(const GradientBuffer& buffer, const BucketOptions& options);
  void watch(const GradientSlot& slot, std::size_t bucket, std::size_t index);
  void arrive(Bucket& bucket, std::size_t index);
  void launch_next();
  void check_all_arrived() const;

  Group* group_;
  std::vector<GradientBuffer> buffers_;
  std::vector<Bucket> buckets_;
  // Nodes that accumulate the parameters' gradients, and the hooks on them.
  std::vector<std::pair<std::shared_ptr<torch::autograd::Node>, std::uintptr_t>>
      hooks_;
  BucketExchanges exchanges_; // one per bucket
  std::size_t next_ = 0; // first bucket that has not been launched
  std::int64_t step_ = 0;
  bool syncing_ = false;
  bool empty_ = false;
  Traffic traffic_;
};

std::unique_ptr<BucketedAllReduce> make_bucketed_all_reduce(
    Group& group,
    std::vector<GradientBuffer> buffers,
    const BucketOptions& options);

} // namespace vitrain::dist

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/traffic.h"
#include "dist/sync/bucket_exchange.h"

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
  // [n] bool, may change between steps: weights that are held at zero, of whose
  // gradients nothing is chosen to be sent. Undefined: none.
  at::Tensor pruned{};
};

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
  std::vector<std::int64_t> samples; // of each rank, over its micro-batches
};

// An update that is due.
struct Update {
  double lr = 0.0;
  at::Tensor non_finite; // scalar fp32: 1 when the gradients are not finite
};

// Keeps replicas equal, or brings them together: the one interface between the
// train step and the way in which workers learn from one another
// (dist.sync.mode). All functions are collective in the sense that every rank
// must run the same sequence of steps and micro-batches.
//
// Protocol of a step: begin_step(); begin_micro_batch() and a backward pass,
// once per micro-batch; finish(); apply(), when finish() says so; updated();
// predict(). Between steps: flush().
class GradientSync {
 public:
  virtual ~GradientSync() = default;

  // Returns the divisor of this rank's losses in this step, which makes the
  // gradients after finish() means: the number of samples over which they are
  // summed, at least 1.
  virtual std::int64_t begin_step(const StepInfo& step) = 0;
  // Announces a backward pass. Gradients of all micro-batches of a step except
  // the last only accumulate; during the last one they may be exchanged.
  // `empty`: this rank has no samples and will not run backward.
  virtual void begin_micro_batch(bool last, bool empty) = 0;
  // Completes the exchange: afterwards the gradient buffers hold the gradients
  // to apply. Returns false if this step applies nothing.
  virtual bool finish() = 0;
  // True if these are the gradients of the previous step, to be applied with
  // its learning rate.
  virtual bool one_step_late() const { return false; }
  // Applies the gradients in the buffers, which may have been clipped since
  // finish(), by `own`, this rank's optimizer; a mode may override this
  // (servers).
  virtual void apply(
      const Update& /*update*/,
      const std::function<void()>& own) {
    own();
  }
  // The step's update has been made, or left out.
  virtual void updated() {}
  // Moves parameters and optimizer state to predicted values for the next
  // gradients, in modes that predict; ranks may then differ. `update` applies
  // the gradients in the buffers, which may be overwritten. finish() and
  // flush() undo the prediction.
  virtual void predict(const std::function<void()>& /*update*/) {}
  // Synchronises the replicas: afterwards all ranks have equal parameters and
  // nothing is in flight. `update` applies the gradients in the buffers. Called
  // before every evaluation and checkpoint, and at the end. Collective.
  virtual void flush(const std::function<void()>& /*update*/) {}
  // Returns the state for a checkpoint, by name. load_state() and steps change
  // these tensors in place. Equal on all ranks after flush().
  virtual std::map<std::string, at::Tensor> state() const { return {}; }
  // Steps that a rank may be ahead of the slowest one without waiting for it.
  virtual std::int64_t lead() const { return 0; }
  // Largest magnitude that this rank sent in the last finish() after narrowing
  // gradients to a smaller range; NaN or infinity if they were not finite;
  // nullopt if it does not narrow them. Waits for the device.
  virtual std::optional<double> largest_sent() const { return std::nullopt; }
  // Communication of the last step: for gradients, and between finish() and
  // updated() for parameters.
  virtual Traffic traffic() const = 0;
};

// All-reduce in buckets that overlaps with backward (Li et al., "PyTorch
// Distributed", VLDB 2020). Each buffer is cut into fixed buckets (the first
// `first_bytes`, then `bytes`; a parameter is never split). A bucket is
// all-reduced, in fixed order, once its last gradient is complete. The layout
// never changes, so a resumed run adds in the same order; docs/decisions/002
// says why this is not c10d::Reducer. After finish() the buffers hold averages
// over the global batch.
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

  // Gradients of the following steps are summed over `group` instead.
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
  BucketExchanges exchanges_; // of the buckets
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

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/optim/optim.h"
#include "optim/weights/flat_state.h"
#include "optim/weights/lookahead.h"

namespace vitrain::optim {

// How far a group goes in a step.
struct Rate {
  double lr = 0.0;
  at::Tensor lr_tensor; // the same, a scalar on the parameters' device
  at::Tensor count; // updates made, this one among them; scalar fp32 there
  // Scalar fp32 on the device; if it is 1, the update must change nothing.
  // Always 0 on the CPU, where such steps are skipped.
  at::Tensor non_finite;
};

// Updates the parameters of a FlatState from its gradients on whole buffers, or
// on this worker's share of them: then there is state for that share only.
// State is kept per group and named per parameter in checkpoints, so that it
// depends neither on the layout of the buffers nor on the number of shares.
class Optimizer {
 public:
  // Gathers all workers' shares [share_size] of one buffer into [count *
  // share_size]; returns an undefined tensor on workers that do not need it.
  // Collective.
  using Gather = std::function<at::Tensor(const at::Tensor& share)>;

  explicit Optimizer(FlatState& parameters);
  virtual ~Optimizer() = default;

  // One update with learning rate `lr`, times the lr_scale of each group. Where
  // `non_finite` (a scalar fp32 tensor on the parameters' device) is 1, nothing
  // changes.
  void step(double lr, const at::Tensor& non_finite);

  // In which a rule multiplies matrices on a CPU, fp32 unless this is called: a
  // CPU that trains in bf16 has these products faster. GPUs have them in bf16.
  virtual void multiply_in(at::ScalarType /*type*/) {}

  // Before the forward pass of the step() that comes next: for a Lookahead that
  // changes in the run.
  void begin_step(const Progress& progress);
  // Lookahead takes what of these are floating-point numbers with the weights,
  // and the slow ones of them belong to the state, under these names. Before
  // any step and state.
  void look_ahead_with(const std::map<std::string, at::Tensor>& tensors);
  // The slow ones of those.
  std::map<std::string, at::Tensor> slow_tensors() const;

  // The flat buffers of the state: for whatever acts on all of it at once.
  std::vector<at::Tensor> buffers() const;
  // Returns the buffers by kind, then by group; undefined if a group has none.
  std::vector<std::vector<at::Tensor>> buffers_by_kind() const;
  // Number of updates, scalar fp32; writing to it changes the optimizer.
  const at::Tensor& steps() const { return steps_; }

  // Returns "<parameter>.<buffer>" -> view with the parameter's shape, and
  // "step", the number of updates, int64. With several shares, calls `gather`
  // for each buffer, in the same order on all workers; the views are then of
  // its results.
  std::map<std::string, at::Tensor> state(const Gather& gather = {}) const;
  // Restores the result of state(), or this worker's share of it. Throws
  // Error(kWeights) that names missing, unknown or wrongly shaped tensors; the
  // optimizer is then unchanged.
  void load_state(const std::map<std::string, at::Tensor>& state);

 protected:
  using Buffers = std::vector<at::Tensor>; // one per group

  using Shape = std::vector<std::int64_t>;

  // A buffer of share_size per group, filled with `fill`, saved under `name`;
  // an empty one for groups that are not `wanted`.
  Buffers& add_buffers(
      const std::string& name,
      double fill = 0.0,
      const std::function<bool(const FlatGroup&)>& wanted = {});
  // Adds a separate tensor for each parameter to which `shape_of` gives a
  // shape, saved under `name`, by group and segment; undefined for other
  // parameters. Not allowed if workers share the state.
  std::vector<Buffers>& add_tensors(
      const std::string& name,
      const std::function<std::optional<Shape>(const Segment&)>& shape_of);
  void look_ahead(const config::LookaheadConfig& options);
  // Views of this worker's part of a group, and of the state of that part.
  static at::Tensor own(const FlatGroup& group, const at::Tensor& whole);
  static at::Tensor own_state(const FlatGroup& group, const at::Tensor& share);
  // Zeros of the size of this worker's part of the largest group.
  static at::Tensor zeros_of_largest(const FlatState& parameters);
  virtual void update(std::size_t group, const Rate& rate) = 0;
  // Parameters that this worker updates.
  static std::vector<const Segment*> own_segments(const FlatGroup& group);
  // target = value, unless the step is left out.
  static void
  assign(const at::Tensor& target, const at::Tensor& value, const Rate& rate);
  // Sets target to target + (value - target) * share, unless the step is
  // non-finite.
  template <typename Share> // a number or a scalar tensor
  static void blend(
      const at::Tensor& target,
      const at::Tensor& value,
      const Share& share,
      const Rate& rate) {
    if (target.is_cpu()) { // in place: no copy
      target.lerp_(value, share);
    } else {
      assign(target, target.lerp(value, share), rate);
    }
  }
  // Sets target to target * keep - step * size, unless the step is non-finite.
  static void move(
      const at::Tensor& target,
      double keep,
      const at::Tensor& step,
      double size,
      const Rate& rate);

  FlatState& parameters_;
  at::Tensor steps_; // updates made, scalar fp32 as the fused kernels want it

 private:
  friend std::unique_ptr<Optimizer> make_optimizer(
      FlatState& parameters,
      const config::OptimConfig& options);

  // Returns "missed.<group>" -> number of missed updates, for groups that may
  // wait.
  std::map<std::string, at::Tensor> missed() const;
  std::vector<SlowPair> slow_pairs() const;
  void update_groups(double lr, const at::Tensor& non_finite);
  // Returns the state that every worker has whole, by its name in state(): the
  // tensors of add_tensors(), missed() and slow_tensors().
  std::map<std::string, at::Tensor> unshared() const;
  void check_state(const std::map<std::string, at::Tensor>& state) const;
  // Copies this worker's share from `saved`, a parameter's whole state.
  void take_share(
      const FlatGroup& group,
      const Segment& segment,
      const at::Tensor& saved,
      at::Tensor share) const;

  std::map<std::string, Buffers> buffers_;
  std::map<std::string, std::vector<Buffers>> tensors_;
  at::Tensor scales_; // lr_scale of the groups, on the device
  at::Tensor lr_; // learning rates of the groups in this step, on the device
  // Number of updates each group has missed: scalars fp32, saved for groups
  // that may wait.
  Buffers missed_;
  Buffers* slow_ = nullptr; // of Lookahead
  std::map<std::string, SlowPair> slow_tensors_; // by name
  config::LookaheadConfig lookahead_;
  Progress progress_;
};

} // namespace vitrain::optim

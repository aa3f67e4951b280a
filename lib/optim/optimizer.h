#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/optim.h"
#include "optim/flat_state.h"
#include "optim/lookahead.h"

namespace vitrain::optim {

// Learning rate and other step-dependent arguments of a group's update.
struct Rate {
  double lr = 0.0;
  at::Tensor lr_tensor; // same as `lr`, a scalar on the parameters' device
  // Number of the group's updates including this one; scalar fp32 on the
  // device.
  at::Tensor count;
  // Scalar fp32 on the device; if it is 1, the update must change nothing.
  // Always 0 on the CPU, where such steps are skipped.
  at::Tensor non_finite;
  // Scalar fp32 on the device: divide the gradients by it. Undefined: 1.
  at::Tensor divisor;
};

// Updates the parameters of a FlatState from its gradients, on whole buffers or
// on this worker's share of them; it then holds the state of that share only.
// State is stored per group, but named per parameter in checkpoints, so that
// checkpoints depend neither on the layout of the buffers nor on the number of
// shares.
class Optimizer {
 public:
  // Gathers all workers' shares [share_size] of one buffer into [count *
  // share_size]; returns an undefined tensor on workers that do not need it.
  // Collective.
  using Gather = std::function<at::Tensor(const at::Tensor& share)>;

  explicit Optimizer(FlatState& parameters);
  virtual ~Optimizer() = default;

  // Makes one update with learning rate `lr` times the lr_scale of each group,
  // except groups that are not trained in this epoch (FlatGroup::waits).
  // Changes nothing if `non_finite` (a scalar fp32 tensor on the parameters'
  // device) is 1.
  // `divisor`, a scalar like non_finite, divides the gradients first; it must
  // be undefined unless divides_gradients().
  void
  step(double lr, const at::Tensor& non_finite, const at::Tensor& divisor = {});
  virtual bool divides_gradients() const { return false; }

  // Sets the dtype in which the rule multiplies matrices on a CPU; the default
  // is fp32. bf16 is faster on a CPU that trains in bf16. GPUs always use bf16.
  virtual void multiply_in(at::ScalarType /*type*/) {}

  // Call before the forward pass of each step: passes the progress of the run
  // on to Lookahead.
  void begin_step(const Progress& progress);
  // Adds floating-point `tensors` (other than the parameters, such as buffers)
  // to Lookahead. Their slow copies become part of the state under these names.
  // Call before the first step and before load_state(). Does nothing without
  // Lookahead.
  void look_ahead_with(const std::map<std::string, at::Tensor>& tensors);
  // Returns the slow copies of the tensors of look_ahead_with(), under their
  // names plus ".lookahead_slow".
  std::map<std::string, at::Tensor> slow_tensors() const;

  // Returns the non-empty tensors of the state, except steps() and
  // slow_tensors().
  std::vector<at::Tensor> buffers() const;
  // Returns the flat buffers by kind, then by group; an empty tensor for a
  // group without that kind.
  std::vector<std::vector<at::Tensor>> buffers_by_kind() const;
  // Number of updates, scalar fp32; writing to it changes the optimizer.
  const at::Tensor& steps() const { return steps_; }

  // Returns "<parameter>.<buffer>" -> view with the parameter's shape; "step",
  // the number of updates, int64; slow_tensors(); and "missed.<group>" for
  // groups with from_epoch > 1. With several shares, calls `gather` for each
  // buffer, in the same order on all workers; the views are then of its
  // results, and buffers for which it returns an undefined tensor are left out.
  std::map<std::string, at::Tensor> state(const Gather& gather = {}) const;
  // Restores the result of state(), or this worker's share of it. Throws
  // Error(kWeights) that names missing, unknown or wrongly shaped tensors; the
  // optimizer is then unchanged.
  void load_state(const std::map<std::string, at::Tensor>& state);

 protected:
  using Buffers = std::vector<at::Tensor>; // one per group

  using Shape = std::vector<std::int64_t>;

  // Adds a buffer of share_size elements per group, filled with `fill` and
  // saved under `name`. Groups for which `wanted` returns false get an empty
  // buffer.
  Buffers& add_buffers(
      const std::string& name,
      double fill = 0.0,
      const std::function<bool(const FlatGroup&)>& wanted = {});
  // Adds a separate tensor for each parameter to which `shape_of` gives a
  // shape, saved under `name`, by group and segment; undefined for other
  // parameters. Not allowed if the workers divide the state into shares.
  std::vector<Buffers>& add_tensors(
      const std::string& name,
      const std::function<std::optional<Shape>(const Segment&)>& shape_of);
  void look_ahead(const config::LookaheadConfig& options);
  // Return views of this worker's part of a group's buffer `whole`, and of the
  // state `share` of that part.
  static at::Tensor own(const FlatGroup& group, const at::Tensor& whole);
  static at::Tensor own_state(const FlatGroup& group, const at::Tensor& share);
  // Returns zeros of the size of this worker's part of the largest group.
  static at::Tensor zeros_of_largest(const FlatState& parameters);
  virtual void update(std::size_t group, const Rate& rate) = 0;
  // Returns the parameters that begin in this worker's part of the group.
  static std::vector<const Segment*> own_segments(const FlatGroup& group);
  // Sets target to value, unless the step is non-finite.
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
    if (target.is_cpu()) { // in place: no non-finite steps get here
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
  // Number of updates; scalar fp32, as the fused kernels require.
  at::Tensor steps_;

 private:
  friend std::unique_ptr<Optimizer> make_optimizer(
      FlatState& parameters,
      const config::OptimConfig& options);

  // Returns "missed.<group>" -> number of missed updates, for groups with
  // from_epoch > 1.
  std::map<std::string, at::Tensor> missed() const;
  std::vector<SlowPair> slow_pairs() const;
  void update_groups(
      double lr,
      const at::Tensor& non_finite,
      const at::Tensor& divisor);
  // Returns the state that every worker holds completely, by its name in
  // state(): the tensors of add_tensors(), missed() and slow_tensors().
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
  // Number of updates that each group has missed: scalars fp32.
  Buffers missed_;
  Buffers* slow_ = nullptr; // slow weights of Lookahead
  // By name; see look_ahead_with().
  std::map<std::string, SlowPair> slow_tensors_;
  config::LookaheadConfig lookahead_;
  Progress progress_;
};

} // namespace vitrain::optim

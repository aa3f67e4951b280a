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
  // Scalar fp32 on that device: where it is 1, nothing may change. On the CPU
  // it is 0: such steps are left out.
  at::Tensor non_finite;
};

// Updates the parameters of a FlatState from its gradients on whole buffers, or
// on this worker's share of them: then there is state for that share only.
// State is kept per group and named per parameter in checkpoints, so that it
// depends neither on the layout of the buffers nor on the number of shares.
class Optimizer {
 public:
  // Puts together the shares of one buffer, [share_size] each, of all workers:
  // [count * share_size], or undefined where nobody wants it. Collective.
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
  // The same by kind, then by group; empty where a group has none.
  std::vector<std::vector<at::Tensor>> buffers_by_kind() const;
  // The updates made, scalar fp32; changing it changes the optimizer.
  const at::Tensor& steps() const { return steps_; }

  // "<parameter>.<buffer>" -> view, shaped as the parameter; and "step", the
  // number of updates made, int64. `gather` is called where there are several
  // shares, for each buffer in the same order on all workers; the views are
  // then of what it returns.
  std::map<std::string, at::Tensor> state(const Gather& gather = {}) const;
  // Takes over what state() returned, or its own share of it. Throws
  // Error(kWeights) naming what is missing, unknown or of another shape; then
  // nothing has changed.
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
  // A tensor of its own for each parameter for which `shape_of` gives a shape,
  // saved under `name`, by group and segment; undefined for others. Only for
  // workers that do not share the state.
  std::vector<Buffers>& add_tensors(
      const std::string& name,
      const std::function<std::optional<Shape>(const Segment&)>& shape_of);
  void look_ahead(const config::LookaheadConfig& options);
  // What this worker updates of a group, and the state that belongs to it.
  static at::Tensor own(const FlatGroup& group, const at::Tensor& whole);
  static at::Tensor own_state(const FlatGroup& group, const at::Tensor& share);
  // As many as this worker updates of the largest group.
  static at::Tensor zeros_of_largest(const FlatState& parameters);
  virtual void update(std::size_t group, const Rate& rate) = 0;
  // Parameters that this worker updates.
  static std::vector<const Segment*> own_segments(const FlatGroup& group);
  // target = value, unless the step is left out.
  static void
  assign(const at::Tensor& target, const at::Tensor& value, const Rate& rate);
  // The same with target + (value - target) x share.
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
  // The same with target x keep - step x size.
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

  // "missed.<group>" for those that may wait, and their number.
  std::map<std::string, at::Tensor> missed() const;
  std::vector<SlowPair> slow_pairs() const;
  void update_groups(double lr, const at::Tensor& non_finite);
  // What is whole on every worker, by its name in state(): the tensors of
  // add_tensors(), missed() and slow_tensors().
  std::map<std::string, at::Tensor> unshared() const;
  void check_state(const std::map<std::string, at::Tensor>& state) const;
  // Copies what of `saved`, a parameter's state, lies in this worker's share.
  void take_share(
      const FlatGroup& group,
      const Segment& segment,
      const at::Tensor& saved,
      at::Tensor share) const;

  std::map<std::string, Buffers> buffers_;
  std::map<std::string, std::vector<Buffers>> tensors_;
  at::Tensor scales_; // lr_scale of the groups, on the device
  at::Tensor lr_; // of the groups in this step, likewise
  // Of each group, updates that it has missed: scalars fp32, saved for those
  // that may wait.
  Buffers missed_;
  Buffers* slow_ = nullptr; // of Lookahead
  std::map<std::string, SlowPair> slow_tensors_; // by their names
  config::LookaheadConfig lookahead_;
  Progress progress_;
};

} // namespace vitrain::optim

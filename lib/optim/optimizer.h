#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::optim {

// Updates the parameters of a FlatState from its gradients, by torch's fused
// kernels on whole buffers, or on this worker's share of them: then there is
// state for that share only. State is kept per group and named per parameter in
// checkpoints, so that it depends neither on the layout of the buffers nor on
// the number of shares.
class Optimizer {
 public:
  // Puts together the shares of one buffer, [share_size] each, of all workers:
  // [count * share_size], or undefined where nobody wants it. Collective.
  using Gather = std::function<at::Tensor(const at::Tensor& share)>;

  explicit Optimizer(FlatState& parameters);
  virtual ~Optimizer() = default;

  // One update with learning rate `lr`. Where `non_finite` (a scalar fp32
  // tensor on the parameters' device) is 1, nothing changes.
  void step(double lr, const at::Tensor& non_finite);

  // The flat buffers of the state: for whatever acts on all of it at once.
  std::vector<at::Tensor> buffers() const;
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

  // A zero-filled buffer of share_size per group, saved under `name`.
  Buffers& add_buffers(const std::string& name);
  // What this worker updates of a group, and the state that belongs to it.
  static at::Tensor own(const FlatGroup& group, const at::Tensor& whole);
  static at::Tensor own_state(const FlatGroup& group, const at::Tensor& share);
  virtual void update(
      std::size_t group,
      const at::Tensor& lr,
      const at::Tensor& non_finite) = 0;

  FlatState& parameters_;
  at::Tensor steps_; // updates made, scalar fp32 as the fused kernels want it

 private:
  void check_state(const std::map<std::string, at::Tensor>& state) const;
  // Copies what of `saved`, a parameter's state, lies in this worker's share.
  void take_share(
      const FlatGroup& group,
      const Segment& segment,
      const at::Tensor& saved,
      at::Tensor share) const;

  std::map<std::string, Buffers> buffers_;
  at::Tensor lr_; // scalar on the device: no kernel depends on a host value
};

} // namespace vitrain::optim

#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/optim.h"
#include "optim/flat_state.h"

namespace vitrain::optim {

// Updates the parameters of a FlatState from its gradients, by torch's fused
// kernels on whole buffers. State is kept per group and named per parameter in
// checkpoints, so that it does not depend on the layout of the buffers.
class Optimizer {
 public:
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
  // number of updates made, int64.
  std::map<std::string, at::Tensor> state() const;
  // Takes over what state() returned. Throws Error(kWeights) naming what is
  // missing, unknown or of another shape; then nothing has changed.
  void load_state(const std::map<std::string, at::Tensor>& state);

 protected:
  using Buffers = std::vector<at::Tensor>; // one per group

  // A zero-filled buffer per group, saved under `name`.
  Buffers& add_buffers(const std::string& name);
  virtual void update(
      std::size_t group,
      const at::Tensor& lr,
      const at::Tensor& non_finite) = 0;

  FlatState& parameters_;
  at::Tensor steps_; // updates made, scalar fp32 as the fused kernels want it

 private:
  std::map<std::string, at::Tensor> views() const;

  std::map<std::string, Buffers> buffers_;
  at::Tensor lr_; // scalar on the device: no kernel depends on a host value
};

// AdamW (Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR
// 2019) as torch.optim.AdamW computes it, or SGD with momentum and coupled L2
// as torch.optim.SGD does. `parameters` must outlive the result.
std::unique_ptr<Optimizer> make_optimizer(
    FlatState& parameters,
    const config::OptimConfig& options);

} // namespace vitrain::optim

#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_sgd.h>

#include "optim/optimizer.h"

namespace vitrain::optim {

struct SgdNumbers {
  double weight_decay = 0.0;
  double momentum = 0.0;
  bool nesterov = false;
};

// Updates `weights` with torch's fused SGD kernel. `momentum`: the momentum
// buffer of `weights`, or empty without momentum. The buffer must start as
// zeros: the first step then makes it 0 * momentum + gradient, as torch's first
// step does.
inline void fused_sgd(
    const at::Tensor& weights,
    const at::Tensor& gradients,
    at::TensorList momentum,
    const SgdNumbers& numbers,
    const Rate& rate) {
  at::_fused_sgd_(
      {weights},
      {gradients},
      momentum,
      numbers.weight_decay,
      numbers.momentum,
      rate.lr_tensor,
      /*dampening=*/0.0,
      numbers.nesterov,
      /*maximize=*/false,
      /*is_first_step=*/false,
      /*grad_scale=*/std::nullopt,
      rate.non_finite);
}

} // namespace vitrain::optim

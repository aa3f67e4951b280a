#pragma once

#include <ATen/core/Tensor.h>

#include "config/train.h"

namespace vitrain::engine {

// Loss of each sample, [N] fp32. cross_entropy: outputs [N, C] fp32, targets
// [N] int64, with the smoothing of torch's cross_entropy; mse: outputs and
// targets [N, T] fp32, the mean of the squared errors over the T targets, so
// that the mean over samples is torch's MSELoss.
at::Tensor sample_losses(
    config::LossKind kind,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    double label_smoothing);

// Their sum, a scalar with a gradient.
at::Tensor loss_sum(
    config::LossKind kind,
    const at::Tensor& outputs,
    const at::Tensor& targets,
    double label_smoothing);

} // namespace vitrain::engine

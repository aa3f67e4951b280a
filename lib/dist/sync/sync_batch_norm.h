#pragma once

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/traffic.h"

namespace vitrain::dist {

// Parameters and running statistics of a BatchNorm layer; all tensors fp32 [C].
struct BatchNormLayer {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
  double momentum = 0.1; // share of new values in the running statistics
  double eps = 1e-5;
  // Receives the communication of forward and backward, and must outlive both
  // passes; null: not counted.
  Traffic* traffic = nullptr;
};

// Normalises x [N, C, ...] by mean and variance over the batches of all ranks
// (torch.nn.SyncBatchNorm) and updates the layer's running statistics, which
// are bit-equal on all ranks. N may differ between ranks and be 0. With at most
// one value per channel in total, running statistics do not change.
// Differentiable in x, weight and bias; gradients of weight and bias are this
// rank's share, to be summed by the gradient exchange.
//
// Collective in forward (one all-gather of 2 C + 1 fp64 numbers) and in
// backward (one all-reduce of 2 C fp32 numbers). Works on any device that the
// group supports.
at::Tensor
sync_batch_norm(Group& group, const at::Tensor& x, const BatchNormLayer& layer);

} // namespace vitrain::dist

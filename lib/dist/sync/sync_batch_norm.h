#pragma once

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/traffic.h"

namespace vitrain::dist {

// A BatchNorm layer over channels; all fp32 [C].
struct BatchNormLayer {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
  // What its exchanges are added to, forward and backward; outlives them. Null:
  // nothing.
  Traffic* traffic = nullptr;
};

// Normalises x [N, C, ...] by the mean and variance of the batches of all ranks
// together, as BatchNorm would on their concatenation (torch.nn.SyncBatchNorm),
// and moves the layer's running statistics towards them; these have the same
// bits on all ranks. N may differ between ranks and be 0 on some; where there
// is at most one value per channel in all, the running statistics stay.
// Differentiable in x, weight and bias; the gradients of the latter two are
// this rank's share, for the exchange of gradients to sum.
//
// Collective in forward (one all-gather of 2 C + 1 numbers) and in backward
// (one all-reduce of 2 C). Any device that the group serves.
at::Tensor
sync_batch_norm(Group& group, const at::Tensor& x, const BatchNormLayer& layer);

} // namespace vitrain::dist

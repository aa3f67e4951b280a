#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "dist/group.h"

namespace vitrain::dist {

using NamedTensors = std::map<std::string, at::Tensor>;

// Makes every rank's tensors equal to rank 0's. First checks that all ranks
// have the same names, shapes and dtypes; differences are an Error(kInternal)
// that names tensor and rank. `control` carries the check, `data` the values
// (on the tensors' device). Collective.
void broadcast_state(Group& control, Group& data, const NamedTensors& tensors);

// Replaces every floating-point tensor by its mean over the ranks: BatchNorm's
// running statistics before evaluation and checkpoints (timm's `--dist-bn
// reduce`). Integer tensors are left alone. Collective.
void average_buffers(Group& data, const NamedTensors& buffers);

} // namespace vitrain::dist

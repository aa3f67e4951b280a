#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"

namespace vitrain::dist {

using NamedTensors = std::map<std::string, at::Tensor>;

// Makes every rank's tensors equal to rank 0's. First checks that all ranks
// have the same names, shapes and dtypes; throws Error(kInternal) that names
// the tensor and the rank if they differ. `control` carries the check, `data`
// the values (on the tensors' device). Collective.
void broadcast_state(Group& control, Group& data, const NamedTensors& tensors);

// Throws Error(kWorkerDied) naming the ranks whose `tensors` (contiguous fp32,
// equal shapes on all ranks) are not bit-identical to those of most ranks,
// judged by a checksum: the sum of their bits as integers. `when` is the start
// of the message, for example "after step 7". Collective; costs one small
// all-gather on the host.
void check_equal(
    Group& control,
    const std::vector<at::Tensor>& tensors,
    const std::string& when);

// Replaces every floating-point tensor by its mean over the ranks: BatchNorm's
// running statistics before evaluation and checkpoints (timm's `--dist-bn
// reduce`). Integer tensors are left alone. Collective.
void average_buffers(Group& data, const NamedTensors& buffers);

// Copies rank 0's floating-point tensors to every rank, such as BatchNorm's
// running statistics (PyTorch's `broadcast_buffers`). Integer tensors are left
// alone. Returns the number of bytes broadcast, 0 in a group of one rank.
// Collective.
std::int64_t broadcast_buffers(Group& data, const NamedTensors& buffers);

} // namespace vitrain::dist

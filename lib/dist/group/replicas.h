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
// have the same names, shapes and dtypes; differences are an Error(kInternal)
// that names tensor and rank. `control` carries the check, `data` the values
// (on the tensors' device). Collective.
void broadcast_state(Group& control, Group& data, const NamedTensors& tensors);

// Throws Error(kInternal) naming the ranks whose `tensors` (contiguous fp32,
// equal shapes everywhere) have other bits than rank 0's, by a checksum: their
// bits as integers, summed. `when` stands in the message: "after step 7".
// Collective; on the host it costs one small all-gather.
void check_equal(
    Group& control,
    const std::vector<at::Tensor>& tensors,
    const std::string& when);

// Replaces every floating-point tensor by its mean over the ranks: BatchNorm's
// running statistics before evaluation and checkpoints (timm's `--dist-bn
// reduce`). Integer tensors are left alone. Collective.
void average_buffers(Group& data, const NamedTensors& buffers);

// Gives every rank the floating-point tensors of rank 0: the running statistics
// of PyTorch's `broadcast_buffers`. Integer tensors are left alone. Returns the
// bytes that travel. Collective.
std::int64_t broadcast_buffers(Group& data, const NamedTensors& buffers);

} // namespace vitrain::dist

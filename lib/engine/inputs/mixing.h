#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/augment/mix.h"

namespace vitrain::engine {

// How the rows of a batch are mixed, on the device. What it computes is timm's
// Mixup: mixed images, and targets that share out the classes.
class MixTable {
 public:
  // One mix per row. A row's partner is the row at the mirrored position of its
  // micro-batch; the batch consists of micro-batches of `group` rows, the last
  // one of the remaining rows. `upload` copies a host tensor to the device.
  MixTable(
      const std::vector<data::Mix>& mixes,
      std::int64_t group,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // Returns the bytes of the two uploaded tensors per row.
  static std::int64_t row_bytes();

  // Mixes images [N, C, H, W] fp32.
  at::Tensor images(const at::Tensor& images) const;
  // Mixes class shares [N, C] fp32.
  at::Tensor shares(const at::Tensor& shares) const;
  // Mixes the weights of samples, [N] fp32, by the shares of their labels.
  at::Tensor weights(const at::Tensor& weights) const;
  // Returns labels [N]: the label with the larger share; a row's own label if
  // shares are equal.
  at::Tensor labels(const at::Tensor& labels) const;

 private:
  // A column of the table, for tensors of `dimensions`.
  at::Tensor column(std::int64_t index, std::int64_t dimensions) const;

  bool pastes_ = false;
  at::Tensor partners_; // [N] int64
  at::Tensor table_; // [N, 8] fp32, see mixing.cpp
};

} // namespace vitrain::engine

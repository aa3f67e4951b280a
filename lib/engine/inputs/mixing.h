#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/augment/mix.h"

namespace vitrain::engine {

// Mixes the rows of a batch on the device (mixup, CutMix), with the same
// results as timm's Mixup: mixed images, and targets that distribute the
// classes.
class MixTable {
 public:
  // One mix per row. A row is mixed with its partner, the row at the mirrored
  // position in its group. The batch is divided into groups of `group` rows;
  // the last group has the remaining rows. `upload` copies a host tensor to the
  // device.
  MixTable(
      const std::vector<data::Mix>& mixes,
      std::int64_t group,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // Returns the bytes per row of the two uploaded tensors together.
  static std::int64_t row_bytes();

  // Mixes images [N, C, H, W] fp32.
  at::Tensor images(const at::Tensor& images) const;
  // Mixes class shares [N, C] fp32.
  at::Tensor shares(const at::Tensor& shares) const;
  // Mixes the weights of samples, [N] fp32, in the proportion of their labels.
  at::Tensor weights(const at::Tensor& weights) const;
  // Returns for each row the label with the larger share, [N]; the row's own
  // label if the shares are equal.
  at::Tensor labels(const at::Tensor& labels) const;

 private:
  // Returns a column of the table, shaped to broadcast to tensors with
  // `dimensions` dimensions.
  at::Tensor column(std::int64_t index, std::int64_t dimensions) const;

  bool pastes_ = false;
  at::Tensor partners_; // [N] int64
  // [N, 8] fp32: shares of the own and the partner's pixels, edges of the
  // pasted box, shares of the own and the partner's label.
  at::Tensor table_;
};

} // namespace vitrain::engine

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
  // One mix for each row. Partners stand at equal places of a micro-batch's
  // order and its reverse; the batch consists of micro-batches of `group` rows,
  // the last one of what is left. `upload` returns a tensor of the host's on
  // the device.
  MixTable(
      const std::vector<data::Mix>& mixes,
      std::int64_t group,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // Bytes of what is uploaded, two tensors, of a row.
  static std::int64_t row_bytes();

  // Of images [N, C, H, W] fp32.
  at::Tensor images(const at::Tensor& images) const;
  // Of shares of the classes [N, C] fp32.
  at::Tensor shares(const at::Tensor& shares) const;
  // Mixes the weights of samples, [N] fp32, by the shares of their labels.
  at::Tensor weights(const at::Tensor& weights) const;
  // Of labels [N]: that of the larger share, their own when both are equal.
  at::Tensor labels(const at::Tensor& labels) const;

 private:
  // A column of the table, for tensors of `dimensions`.
  at::Tensor column(std::int64_t index, std::int64_t dimensions) const;

  bool pastes_ = false;
  at::Tensor partners_; // [N] int64
  at::Tensor table_; // [N, 8] fp32, see mixing.cpp
};

} // namespace vitrain::engine

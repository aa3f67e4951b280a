#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace vitrain::config {

enum class Precision { kAuto, kFp32, kTf32, kBf16, kFp16 };
constexpr auto names_of(Precision) {
  using enum Precision;
  return enum_names<Precision>(
      {{kAuto, "auto"},
       {kFp32, "fp32"},
       {kTf32, "tf32"},
       {kBf16, "bf16"},
       {kFp16, "fp16"}});
}

// Keys of `train` about number formats and loss scaling.
template <typename Visitor>
void visit_precision(
    Visitor& v,
    Precision& precision,
    double& loss_scale,
    std::int64_t& loss_scale_interval) {
  v.field(
      "precision",
      precision,
      "`auto`: bf16 on GPUs and on CPUs with avx512_bf16 or amx_bf16, else "
      "fp32. `tf32` and `fp16` are for GPUs; in `fp16` the loss is scaled.");
  v.field(
       "loss_scale",
       loss_scale,
       "`fp16`: initial factor of the loss, so that small gradients do not "
       "vanish. A step whose gradients overflow changes nothing and halves "
       "it.")
      .at_least(1.0)
      .needs("train.precision", precision, Precision::kFp16);
  v.field(
       "loss_scale_interval",
       loss_scale_interval,
       "So many steps in a row without overflow double it.")
      .in_range(1, 1000000000)
      .needs("train.precision", precision, Precision::kFp16);
}

} // namespace vitrain::config

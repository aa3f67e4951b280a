#pragma once

#include <string>
#include <string_view>

#include "config/sections/recipe.h"

namespace vitrain::job {

// What CPUs say about bf16 arithmetic (/proc/cpuinfo's flags).
struct CpuFeatures {
  bool avx512_bf16 = false;
  bool amx_bf16 = false;
};

CpuFeatures cpu_features();

// The arithmetic of a run and why: "bf16 (avx512_bf16)".
struct PrecisionChoice {
  config::Precision precision = config::Precision::kFp32;
  std::string reason;
};

// Resolves `auto`: bf16 on GPUs and on CPUs that compute in it, else fp32.
// Throws Error(kUsage) with the reason for what the device would only emulate
// (bf16 on other CPUs is up to hundreds of times slower) or does not have;
// `key` is what asked for it.
PrecisionChoice resolve_precision(
    config::Precision asked,
    bool cuda,
    const CpuFeatures& features,
    std::string_view key = "train.precision");

// That of evaluations: eval.precision, of which `auto` is train.precision.
// Throws as resolve_precision().
PrecisionChoice resolve_eval_precision(
    const config::Recipe& recipe,
    bool cuda,
    const CpuFeatures& features);

} // namespace vitrain::job

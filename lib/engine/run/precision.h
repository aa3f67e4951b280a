#pragma once

#include <string>
#include <string_view>

#include <c10/core/DeviceType.h>

#include "config/sections/recipe.h"

namespace vitrain::engine {

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

// Lets CUDA devices round the factors of fp32 products to tf32, or not; of the
// whole process. Nothing happens where they are not used.
void allow_tf32(c10::DeviceType device, bool allowed);

// Runs what is in its scope under bf16 autocast on `device` when `enabled`:
// matrix products and convolutions in bf16 from fp32 weights, sums in fp32. The
// weight cache is off: weights change between scopes, and a captured graph must
// not depend on it.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType device, bool enabled);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
};

} // namespace vitrain::engine

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/sections/recipe.h"
#include "job/job.h"
#include "launch/devices/devices.h"

namespace vitrain::job {

// What CPUs say about bf16 arithmetic (/proc/cpuinfo's flags).
struct CpuFeatures {
  bool avx512_bf16 = false;
  bool amx_bf16 = false;
};

CpuFeatures cpu_features();

// What a run computes on.
struct Processors {
  bool cuda = false;
  int capability = 0; // of the oldest GPU: 10 * major + minor; 0: unknown
  CpuFeatures cpu;
};

// Those of this machine, for a job's devices or for these.
Processors processors_of(const Job& job);
Processors processors_of(const std::vector<launch::DeviceSlot>& devices);
// The least capability of GPUs that is known; 0: of none.
int least_capability(const std::vector<launch::DeviceSlot>& devices);

// The arithmetic of a run and why: "bf16 (avx512_bf16)".
struct PrecisionChoice {
  config::Precision precision = config::Precision::kFp32;
  std::string reason;
};

// Resolves `auto`: bf16 on GPUs and CPUs that compute in it (GPUs from
// capability 8.0 on; of unknown ones that is assumed), else fp32.
// Throws Error(kUsage) with the reason for what the device would only emulate
// (bf16 on other CPUs is up to hundreds of times slower) or does not have;
// `key` is what asked for it.
PrecisionChoice resolve_precision(
    config::Precision asked,
    const Processors& processors,
    std::string_view key = "train.precision");

// That of evaluations: eval.precision, of which `auto` is train.precision.
// Throws as resolve_precision().
PrecisionChoice resolve_eval_precision(
    const config::Recipe& recipe,
    const Processors& processors);

} // namespace vitrain::job

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/sections/recipe.h"
#include "job/job.h"
#include "launch/devices/devices.h"

namespace vitrain::job {

// bf16 features of a CPU (flags in /proc/cpuinfo).
struct CpuFeatures {
  bool avx512_bf16 = false;
  bool amx_bf16 = false;
};

CpuFeatures cpu_features();

// Processors of a run.
struct Processors {
  bool cuda = false;
  int capability = 0; // of the oldest GPU: 10 * major + minor; 0: unknown
  CpuFeatures cpu;
};

// Return this machine's processors for a job's devices, or for the given
// devices.
Processors processors_of(const Job& job);
Processors processors_of(const std::vector<launch::DeviceSlot>& devices);
// Returns the lowest known capability of the GPUs; 0 if none is known.
int least_capability(const std::vector<launch::DeviceSlot>& devices);

// The arithmetic of a run and why: "bf16 (avx512_bf16)".
struct PrecisionChoice {
  config::Precision precision = config::Precision::kFp32;
  std::string reason;
};

// Resolves `auto`: bf16 on GPUs and CPUs with bf16 arithmetic (GPUs from
// capability 8.0 on; assumed if unknown), otherwise fp32. Throws Error(kUsage)
// with the reason for a precision that the device lacks or only emulates (bf16
// is up to hundreds of times slower on other CPUs); `key` is the key that asked
// for it.
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

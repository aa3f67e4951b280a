#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/sections/train_precision.h"

namespace vitrain::config {
struct Recipe;
} // namespace vitrain::config

namespace vitrain::launch {
struct DeviceSlot;
} // namespace vitrain::launch

namespace vitrain::job {

struct Job;

// bf16 features of a CPU (flags in /proc/cpuinfo).
struct CpuFeatures {
  bool avx512_bf16 = false;
  bool amx_bf16 = false;
};

CpuFeatures cpu_features();

// Processors of a run.
struct Processors {
  bool cuda = false;
  // Compute capability of the oldest GPU, 10 * major + minor; 0: unknown.
  int capability = 0;
  CpuFeatures cpu;
};

// Return the processors of a job's devices on this machine, or of the given
// devices (at least one).
Processors processors_of(const Job& job);
Processors processors_of(const std::vector<launch::DeviceSlot>& devices);
// Returns the lowest known compute capability of the GPUs, as
// Processors::capability; 0 if none is known.
int least_capability(const std::vector<launch::DeviceSlot>& devices);

// Arithmetic of a run, and the reason for it: "as configured", "auto: GPU"; for
// bf16 that was asked for on a CPU, its instructions: "amx_bf16".
struct PrecisionChoice {
  config::Precision precision = config::Precision::kFp32;
  std::string reason;
};

// Resolves `auto`: bf16 on GPUs of capability 8.0 or above (assumed if unknown)
// and on CPUs with bf16 instructions, otherwise fp32. Throws Error(kUsage) for
// a precision that the device lacks or only emulates: tf32 and fp16 on CPUs,
// bf16 on older GPUs and CPUs (there up to hundreds of times slower). `key`:
// recipe key of `asked`, for messages.
PrecisionChoice resolve_precision(
    config::Precision asked,
    const Processors& processors,
    std::string_view key = "train.precision");

// Returns the precision of evaluations: eval.precision (also as the reason), or
// if that is `auto`, the choice for train.precision. Throws as
// resolve_precision().
PrecisionChoice resolve_eval_precision(
    const config::Recipe& recipe,
    const Processors& processors);

} // namespace vitrain::job

#include "job/precision.h"

#include <fstream>

#include "config/sections/recipe.h"
#include "core/check.h"
#include "job/run/job.h"
#include "launch/devices/devices.h"
#include "options/device.h"

namespace vitrain::job {
namespace {

constexpr int kBf16Capability = 80; // Ampere

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

} // namespace

CpuFeatures cpu_features() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (line.starts_with("flags")) {
      line += ' ';
      return {
          line.find(" avx512_bf16 ") != std::string::npos,
          line.find(" amx_bf16 ") != std::string::npos};
    }
  }
  return {};
}

int least_capability(const std::vector<launch::DeviceSlot>& devices) {
  int least = 0;
  for (const launch::DeviceSlot& device : devices) {
    if (device.capability > 0 && (least == 0 || device.capability < least)) {
      least = device.capability;
    }
  }
  return least;
}

Processors processors_of(const Job& job) {
  return {
      .cuda = job.cuda, .capability = job.capability, .cpu = cpu_features()};
}

Processors processors_of(const std::vector<launch::DeviceSlot>& devices) {
  return {
      .cuda = devices.front().kind == DeviceKind::kCuda,
      .capability = least_capability(devices),
      .cpu = cpu_features()};
}

PrecisionChoice resolve_precision(
    config::Precision asked,
    const Processors& processors,
    std::string_view key) {
  using config::Precision;
  const auto [cuda, capability, cpu] = processors;
  const bool native = cuda ? capability == 0 || capability >= kBf16Capability
                           : cpu.avx512_bf16 || cpu.amx_bf16;
  const char* unit = cpu.amx_bf16 ? "amx_bf16" : "avx512_bf16";
  if (asked == Precision::kAuto) {
    if (cuda) {
      return native ? PrecisionChoice{Precision::kBf16, "auto: GPU"}
                    : PrecisionChoice{
                          Precision::kFp32,
                          fmt::format(
                              "auto: GPU of capability {}, bf16 needs 8.0",
                              capability_text(capability))};
    }
    return native
        ? PrecisionChoice{Precision::kBf16, std::string("auto: CPU has ") + unit}
        : PrecisionChoice{
              Precision::kFp32, "auto: this CPU has no bf16 arithmetic"};
  }
  VITRAIN_CHECK(
      asked != Precision::kTf32 || cuda,
      ExitCode::kUsage,
      "{}: tf32 exists on GPUs only; use fp32 or auto",
      key);
  VITRAIN_CHECK(
      asked != Precision::kFp16 || cuda,
      ExitCode::kUsage,
      "{}: fp16 is computed fast on GPUs only; use fp32 or auto, which is bf16 "
      "where the CPU computes in it",
      key);
  VITRAIN_CHECK(
      asked != Precision::kBf16 || !cuda || native,
      ExitCode::kUsage,
      "{}: bf16 would be emulated on a GPU of compute capability {} (8.0 is "
      "the first that computes in it) and be slower than fp32; use fp16, fp32 "
      "or auto",
      key,
      capability_text(capability));
  VITRAIN_CHECK(
      asked != Precision::kBf16 || native,
      ExitCode::kUsage,
      "{}: bf16 would be emulated on this CPU (it has neither avx512_bf16 nor "
      "amx_bf16) and run many times slower than fp32; use fp32 or auto",
      key);
  return {asked, asked == Precision::kBf16 && !cuda ? unit : "as configured"};
}

PrecisionChoice resolve_eval_precision(
    const config::Recipe& recipe,
    const Processors& processors) {
  if (recipe.eval.precision == config::Precision::kAuto) {
    return resolve_precision(recipe.train.precision, processors);
  }
  constexpr const char* kKey = "eval.precision";
  return {
      resolve_precision(recipe.eval.precision, processors, kKey).precision,
      kKey};
}

} // namespace vitrain::job

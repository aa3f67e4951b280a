#include "job/options/precision.h"

#include <fstream>

#include "core/check.h"

namespace vitrain::job {

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

PrecisionChoice resolve_precision(
    config::Precision asked,
    bool cuda,
    const CpuFeatures& features,
    std::string_view key) {
  using config::Precision;
  const bool native = features.avx512_bf16 || features.amx_bf16;
  const char* unit = features.amx_bf16 ? "amx_bf16" : "avx512_bf16";
  if (asked == Precision::kAuto) {
    if (cuda) {
      return {Precision::kBf16, "auto: GPU"};
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
      asked != Precision::kBf16 || cuda || native,
      ExitCode::kUsage,
      "{}: bf16 would be emulated on this CPU (it has neither avx512_bf16 nor "
      "amx_bf16) and run many times slower than fp32; use fp32 or auto",
      key);
  return {asked, asked == Precision::kBf16 && !cuda ? unit : "as configured"};
}

PrecisionChoice resolve_eval_precision(
    const config::Recipe& recipe,
    bool cuda,
    const CpuFeatures& features) {
  if (recipe.eval.precision == config::Precision::kAuto) {
    return resolve_precision(recipe.train.precision, cuda, features);
  }
  constexpr const char* kKey = "eval.precision";
  return {
      resolve_precision(recipe.eval.precision, cuda, features, kKey).precision,
      kKey};
}

} // namespace vitrain::job

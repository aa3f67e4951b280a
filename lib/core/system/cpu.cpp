#include "core/system/cpu.h"

namespace vitrain {

Simd best_simd() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vbmi") &&
      __builtin_cpu_supports("avx512vbmi2") &&
      __builtin_cpu_supports("avx512vnni")) {
    return Simd::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    return Simd::kAvx2;
  }
#endif
  return Simd::kScalar;
}

} // namespace vitrain

#pragma once

#include "core/system/cpu.h"

// Support for compiling auto-vectorised loops twice: for the baseline
// instruction set and for AVX2 (without fused multiply-add, which rounds once
// instead of twice). Both give the same bytes.
#define VITRAIN_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define VITRAIN_AVX2 __attribute__((target("avx2")))
#else
#define VITRAIN_AVX2
#endif

namespace vitrain::image {

template <typename Work>
VITRAIN_AVX2 void run_avx2(const Work& work) {
  work();
}
// Calls a lambda: its copy compiled for AVX2 if best_simd() has AVX2, else the
// baseline copy. The lambda and all functions it calls must be always_inline.
template <typename Work>
void run_vectors(const Work& work) {
  if (best_simd() >= Simd::kAvx2) {
    run_avx2(work);
  } else {
    work();
  }
}

} // namespace vitrain::image

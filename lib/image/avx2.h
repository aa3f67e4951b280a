#pragma once

// Loops that the compiler makes vectors of are compiled twice: as they are, and
// for AVX2 (without fused multiplication and addition, which round once instead
// of twice). Both give the same bytes.
#define VITRAIN_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define VITRAIN_AVX2 __attribute__((target("avx2")))
#else
#define VITRAIN_AVX2
#endif

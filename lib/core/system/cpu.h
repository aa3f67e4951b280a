#pragma once

namespace vitrain {

// Instruction sets that kernels are written for, each including those before
// it. kScalar: no extensions; kAvx2: AVX2 and BMI2; kAvx512: AVX-512 F, BW, VL,
// VBMI, VBMI2 and VNNI (Ice Lake, Zen 4 and newer).
enum class Simd { kScalar, kAvx2, kAvx512 };

// Returns the last instruction set of Simd that this processor and its
// operating system support.
Simd best_simd();

} // namespace vitrain

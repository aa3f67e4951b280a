// cuBLAS and cuBLASLt: products are counted, their operands have to be on a
// device. Declared here without NVIDIA's headers, by what the calls are given.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "current.h"
#include "faults.h"
#include "memory.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

constexpr int kSuccess = 0;
constexpr int kExecutionFailed = 13;

// Of descriptors and handles: never read.
void* some_handle() {
  static char place;
  return &place;
}

int product(const void* a, const void* b, const void* c) {
  count(Count::kProducts);
  for (const void* operand : {a, b, c}) {
    expect_on_device(operand, 1, "a matrix product");
  }
  return launch_error(current_device()) == cudaSuccess ? kSuccess
                                                       : kExecutionFailed;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

int cublasCreate_v2(void** handle) {
  use_device(current_device());
  *handle = some_handle();
  return kSuccess;
}

int cublasGetMathMode(void*, int* mode) {
  *mode = 0;
  return kSuccess;
}

int cublasGetPointerMode_v2(void*, int* mode) {
  *mode = 0;
  return kSuccess;
}

int cublasSgemm_v2(
    void*,
    int,
    int,
    int,
    int,
    int,
    const void*,
    const void* a,
    int,
    const void* b,
    int,
    const void*,
    void* c,
    int) {
  return product(a, b, c);
}

int cublasGemmEx(
    void*,
    int,
    int,
    int,
    int,
    int,
    const void*,
    const void* a,
    int,
    int,
    const void* b,
    int,
    int,
    const void*,
    void* c,
    int,
    int,
    int,
    int) {
  return product(a, b, c);
}

int cublasSgemmStridedBatched(
    void*,
    int,
    int,
    int,
    int,
    int,
    const void*,
    const void* a,
    int,
    std::int64_t,
    const void* b,
    int,
    std::int64_t,
    const void*,
    void* c,
    int,
    std::int64_t,
    int) {
  return product(a, b, c);
}

int cublasGemmStridedBatchedEx(
    void*,
    int,
    int,
    int,
    int,
    int,
    const void*,
    const void* a,
    int,
    int,
    std::int64_t,
    const void* b,
    int,
    int,
    std::int64_t,
    const void*,
    void* c,
    int,
    int,
    std::int64_t,
    int,
    int,
    int) {
  return product(a, b, c);
}

int cublasSgemv_v2(
    void*,
    int,
    int,
    int,
    const void*,
    const void* a,
    int,
    const void* x,
    int,
    const void*,
    void* y,
    int) {
  return product(a, x, y);
}

int cublasSdot_v2(void*, int, const void* x, int, const void* y, int, void*) {
  return product(x, y, y);
}

std::size_t cublasLtGetVersion() {
  return 130100;
}

int cublasLtMatmulDescCreate(void** description, int, int) {
  *description = some_handle();
  return kSuccess;
}

int cublasLtMatrixLayoutCreate(
    void** layout,
    int,
    std::uint64_t,
    std::uint64_t,
    std::int64_t) {
  *layout = some_handle();
  return kSuccess;
}

int cublasLtMatmulPreferenceCreate(void** preference) {
  *preference = some_handle();
  return kSuccess;
}

// One way of computing it, without workspace.
int cublasLtMatmulAlgoGetHeuristic(
    void*,
    void*,
    void*,
    void*,
    void*,
    void*,
    void*,
    int,
    void* results,
    int* found) {
  constexpr std::size_t kAlgorithm = 64; // bytes of cublasLtMatmulAlgo_t
  constexpr std::size_t kResult = 96; // of cublasLtMatmulHeuristicResult_t
  static_assert(kAlgorithm < kResult);
  std::memset(results, 0, kResult);
  *found = 1;
  return kSuccess;
}

int cublasLtMatmul(
    void*,
    void*,
    const void*,
    const void* a,
    void*,
    const void* b,
    void*,
    const void*,
    const void*,
    void*,
    void* d,
    void*,
    const void*,
    void*,
    std::size_t,
    void*) {
  return product(a, b, d);
}

} // extern "C"

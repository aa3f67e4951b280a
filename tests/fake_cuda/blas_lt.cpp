// cuBLASLt, declared here without NVIDIA's headers; a cublasLtMatrixLayout_t is
// a pointer to a Layout.

#include <cstring>

#include "order.h"
#include "products.h"

namespace vitrain::fake_cuda {
namespace {

// cublasLtMatmulDesc_t is a pointer to one.
struct Epilogue {
  const void* bias = nullptr;
};

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

std::size_t cublasLtGetVersion() {
  return 130100;
}

int cublasLtMatmulDescCreate(void** description, int, int) {
  *description = new Epilogue;
  return kSuccess;
}

int cublasLtMatmulDescDestroy(void* description) {
  delete static_cast<Epilogue*>(description);
  return kSuccess;
}

int cublasLtMatmulDescSetAttribute(
    void* description,
    int attribute,
    const void* value,
    std::size_t) {
  constexpr int kBiasPointer = 8; // CUBLASLT_MATMUL_DESC_BIAS_POINTER
  if (attribute == kBiasPointer) {
    std::memcpy(
        &static_cast<Epilogue*>(description)->bias, value, sizeof(void*));
  }
  return kSuccess;
}

int cublasLtMatrixLayoutCreate(
    void** layout,
    int type,
    std::uint64_t rows,
    std::uint64_t columns,
    std::int64_t leading) {
  *layout = new Layout{
      .type = type,
      .rows = static_cast<std::int64_t>(rows),
      .columns = static_cast<std::int64_t>(columns),
      .leading = leading};
  return kSuccess;
}

int cublasLtMatrixLayoutDestroy(void* layout) {
  delete static_cast<Layout*>(layout);
  return kSuccess;
}

int cublasLtMatrixLayoutSetAttribute(
    void* layout,
    int attribute,
    const void* value,
    std::size_t) {
  constexpr int kBatch = 5; // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
  constexpr int kStride = 6; // ..._STRIDED_BATCH_OFFSET
  auto* const set = static_cast<Layout*>(layout);
  if (attribute == kBatch) {
    std::int32_t batch = 0;
    std::memcpy(&batch, value, sizeof batch);
    set->batch = batch;
  } else if (attribute == kStride) {
    std::memcpy(&set->stride, value, sizeof set->stride);
  }
  return kSuccess;
}

int cublasLtMatmulPreferenceCreate(void** preference) {
  static char place; // never read
  *preference = &place;
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
    const void* description,
    const void*,
    const void* a,
    const void* layout_a,
    const void* b,
    const void* layout_b,
    const void*,
    const void*,
    const void*,
    void* d,
    const void* layout_d,
    const void*,
    void*,
    std::size_t,
    cudaStream_t stream) {
  const auto& written = *static_cast<const Layout*>(layout_d);
  if (const void* bias = static_cast<const Epilogue*>(description)->bias) {
    // One number for each row, of which bytes are not known.
    const auto bytes = static_cast<std::size_t>(written.rows);
    use_in_order(stream, {bias, bytes, /*writes=*/false}, "a matrix product");
  }
  return product(
      stream,
      {a, *static_cast<const Layout*>(layout_a)},
      {b, *static_cast<const Layout*>(layout_b)},
      {d, written});
}

} // extern "C"

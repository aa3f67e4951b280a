// cuBLAS, declared here without NVIDIA's headers.

#include "current.h"
#include "products.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

struct Handle {
  cudaStream_t stream = nullptr;
};

cudaStream_t stream_of(const void* handle) {
  return static_cast<const Handle*>(handle)->stream;
}

// An operand that is used as it is, or transposed: `rows` and `columns` are
// those in the product.
Layout layout_of(
    int operation,
    std::int64_t rows,
    std::int64_t columns,
    std::int64_t leading,
    int type = kFloat32) {
  Layout layout{
      .type = type, .rows = rows, .columns = columns, .leading = leading};
  if (operation != kAsItIs) {
    layout.rows = columns;
    layout.columns = rows;
  }
  return layout;
}

Layout batched(Layout layout, std::int64_t stride, std::int64_t batch) {
  layout.stride = stride;
  layout.batch = batch;
  return layout;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

int cublasCreate_v2(void** handle) {
  use_device(current_device());
  *handle = new Handle;
  return kSuccess;
}

int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return kSuccess;
}

int cublasSetStream_v2(void* handle, cudaStream_t stream) {
  static_cast<Handle*>(handle)->stream = stream;
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
    void* handle,
    int of_a,
    int of_b,
    int m,
    int n,
    int k,
    const void*,
    const void* a,
    int lda,
    const void* b,
    int ldb,
    const void*,
    void* c,
    int ldc) {
  return product(
      stream_of(handle),
      {a, layout_of(of_a, m, k, lda)},
      {b, layout_of(of_b, k, n, ldb)},
      {c, layout_of(kAsItIs, m, n, ldc)});
}

int cublasGemmEx(
    void* handle,
    int of_a,
    int of_b,
    int m,
    int n,
    int k,
    const void*,
    const void* a,
    int type_a,
    int lda,
    const void* b,
    int type_b,
    int ldb,
    const void*,
    void* c,
    int type_c,
    int ldc,
    int,
    int) {
  return product(
      stream_of(handle),
      {a, layout_of(of_a, m, k, lda, type_a)},
      {b, layout_of(of_b, k, n, ldb, type_b)},
      {c, layout_of(kAsItIs, m, n, ldc, type_c)});
}

int cublasSgemmStridedBatched(
    void* handle,
    int of_a,
    int of_b,
    int m,
    int n,
    int k,
    const void*,
    const void* a,
    int lda,
    std::int64_t stride_a,
    const void* b,
    int ldb,
    std::int64_t stride_b,
    const void*,
    void* c,
    int ldc,
    std::int64_t stride_c,
    int batch) {
  return product(
      stream_of(handle),
      {a, batched(layout_of(of_a, m, k, lda), stride_a, batch)},
      {b, batched(layout_of(of_b, k, n, ldb), stride_b, batch)},
      {c, batched(layout_of(kAsItIs, m, n, ldc), stride_c, batch)});
}

int cublasGemmStridedBatchedEx(
    void* handle,
    int of_a,
    int of_b,
    int m,
    int n,
    int k,
    const void*,
    const void* a,
    int type_a,
    int lda,
    std::int64_t stride_a,
    const void* b,
    int type_b,
    int ldb,
    std::int64_t stride_b,
    const void*,
    void* c,
    int type_c,
    int ldc,
    std::int64_t stride_c,
    int batch,
    int,
    int) {
  return product(
      stream_of(handle),
      {a, batched(layout_of(of_a, m, k, lda, type_a), stride_a, batch)},
      {b, batched(layout_of(of_b, k, n, ldb, type_b), stride_b, batch)},
      {c, batched(layout_of(kAsItIs, m, n, ldc, type_c), stride_c, batch)});
}

int cublasSgemv_v2(
    void* handle,
    int of_a,
    int m,
    int n,
    const void*,
    const void* a,
    int lda,
    const void* x,
    int increment_x,
    const void*,
    void* y,
    int increment_y) {
  // Vectors are matrices of one row.
  const bool transposed = of_a != kAsItIs;
  return product(
      stream_of(handle),
      {a, layout_of(kAsItIs, m, n, lda)},
      {x, layout_of(kAsItIs, 1, transposed ? m : n, increment_x)},
      {y, layout_of(kAsItIs, 1, transposed ? n : m, increment_y)});
}

int cublasSdot_v2(
    void* handle,
    int n,
    const void* x,
    int increment_x,
    const void* y,
    int increment_y,
    void* result) {
  return product(
      stream_of(handle),
      {x, layout_of(kAsItIs, 1, n, increment_x)},
      {y, layout_of(kAsItIs, 1, n, increment_y)},
      {result, layout_of(kAsItIs, 1, 1, 1)});
}

} // extern "C"

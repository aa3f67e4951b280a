#include "work.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace {

void* found(const char* name) {
  void* const function = ::dlsym(RTLD_DEFAULT, name);
  if (function == nullptr) {
    std::fprintf(stderr, "%s is not preloaded\n", name);
    std::exit(2);
  }
  return function;
}

// A call of a library, by the type of its declaration.
template <typename Function>
Function* call(const char* name) {
  return reinterpret_cast<Function*>(found(name));
}

// --- cuBLAS, by what its calls are given

void multiply_with_lt(
    void* to,
    const void* from,
    int side,
    cudaStream_t stream) {
  void* description = nullptr;
  void* layout = nullptr;
  call<int(void**, int, int)>("cublasLtMatmulDescCreate")(&description, 0, 0);
  call<int(void**, int, std::uint64_t, std::uint64_t, std::int64_t)>(
      "cublasLtMatrixLayoutCreate")(
      &layout,
      /*type=*/0,
      static_cast<std::uint64_t>(side),
      static_cast<std::uint64_t>(side),
      side);
  call<int(
      void*,
      const void*,
      const void*,
      const void*,
      const void*,
      const void*,
      const void*,
      const void*,
      const void*,
      const void*,
      void*,
      const void*,
      const void*,
      void*,
      std::size_t,
      cudaStream_t)>("cublasLtMatmul")(
      nullptr,
      description,
      nullptr,
      from,
      layout,
      from,
      layout,
      nullptr,
      to,
      layout,
      to,
      layout,
      nullptr,
      nullptr,
      0,
      stream);
}

// --- cuDNN

cudnnBackendDescriptor_t made(cudnnBackendDescriptorType_t kind) {
  cudnnBackendDescriptor_t descriptor = nullptr;
  call<decltype(cudnnBackendCreateDescriptor)>("cudnnBackendCreateDescriptor")(
      kind, &descriptor);
  return descriptor;
}

template <typename Value>
void set(
    cudnnBackendDescriptor_t descriptor,
    cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type,
    const Value& value) {
  call<decltype(cudnnBackendSetAttribute)>("cudnnBackendSetAttribute")(
      descriptor, name, type, 1, &value);
}

cudnnBackendDescriptor_t finalized(cudnnBackendDescriptor_t descriptor) {
  call<decltype(cudnnBackendFinalize)>("cudnnBackendFinalize")(descriptor);
  return descriptor;
}

cudnnBackendDescriptor_t tensor(std::int64_t id, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes / sizeof(float));
  const auto descriptor = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(descriptor,
      CUDNN_ATTR_TENSOR_DATA_TYPE,
      CUDNN_TYPE_DATA_TYPE,
      CUDNN_DATA_FLOAT);
  set(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, size);
  set(descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, std::int64_t{1});
  set(descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  return finalized(descriptor);
}

// Returns a plan for an operation, with all intermediate descriptors.
cudnnBackendDescriptor_t plan_of(cudnnBackendDescriptor_t operation) {
  const auto graph = made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(graph,
      CUDNN_ATTR_OPERATIONGRAPH_OPS,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      operation);
  const auto heuristic = made(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set(heuristic,
      CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      finalized(graph));
  finalized(heuristic);
  cudnnBackendDescriptor_t configuration =
      made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  std::int64_t count = 0;
  call<decltype(cudnnBackendGetAttribute)>("cudnnBackendGetAttribute")(
      heuristic,
      CUDNN_ATTR_ENGINEHEUR_RESULTS,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      1,
      &count,
      static_cast<void*>(&configuration));
  const auto plan = made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(plan,
      CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      configuration);
  return finalized(plan);
}

// --- kernels

void launch(const char* name, void** arguments, cudaStream_t stream) {
  static char function;
  call<void(
      void**,
      const char*,
      char*,
      const char*,
      int,
      void*,
      void*,
      void*,
      void*,
      int*)>("__cudaRegisterFunction")(
      nullptr,
      &function,
      nullptr,
      name,
      -1,
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr);
  cudaLaunchKernel(&function, dim3(1), dim3(32), arguments, 0, stream);
}

} // namespace

void multiply(
    void* to,
    const void* from,
    int side,
    cudaStream_t stream,
    bool lt) {
  if (lt) {
    multiply_with_lt(to, from, side, stream);
    return;
  }
  void* handle = nullptr;
  call<int(void**)>("cublasCreate_v2")(&handle);
  call<int(void*, cudaStream_t)>("cublasSetStream_v2")(handle, stream);
  call<int(
      void*,
      int,
      int,
      int,
      int,
      int,
      const void*,
      const void*,
      int,
      const void*,
      int,
      const void*,
      void*,
      int)>("cublasSgemm_v2")(
      handle,
      0,
      0,
      side,
      side,
      side,
      nullptr,
      from,
      side,
      from,
      side,
      nullptr,
      to,
      side);
}

void run_plan(
    void* to,
    const void* from,
    std::size_t bytes,
    cudaStream_t stream) {
  const auto operation = made(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set(operation,
      CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      tensor(1, bytes));
  set(operation,
      CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
      CUDNN_TYPE_BACKEND_DESCRIPTOR,
      tensor(2, bytes));
  const auto plan = plan_of(finalized(operation));
  const std::array<std::int64_t, 2> ids{1, 2};
  const std::array<const void*, 2> pointers{from, to};
  const auto pack = made(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const auto set_both =
      call<decltype(cudnnBackendSetAttribute)>("cudnnBackendSetAttribute");
  set_both(
      pack,
      CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
      CUDNN_TYPE_INT64,
      std::ssize(ids),
      ids.data());
  set_both(
      pack,
      CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
      CUDNN_TYPE_VOID_PTR,
      std::ssize(pointers),
      pointers.data());
  cudnnHandle_t handle = nullptr;
  call<decltype(cudnnCreate)>("cudnnCreate")(&handle);
  call<decltype(cudnnSetStream)>("cudnnSetStream")(handle, stream);
  call<decltype(cudnnBackendExecute)>("cudnnBackendExecute")(
      handle, plan, finalized(pack));
}

void launch_reader(const void* from, cudaStream_t stream) {
  std::array<void*, 1> arguments{&from};
  launch("_Z4readPKf", arguments.data(), stream);
}

void launch_elementwise(
    void* to,
    const void* from,
    int elements,
    cudaStream_t stream) {
  char function = 0;
  std::array<const void*, 2> data{to, from};
  std::array<void*, 3> arguments{&elements, &function, data.data()};
  // void at::native::vectorized_elementwise_kernel<4, F, std::array<char*,
  // 2ul> >(int, F, std::array<char*, 2ul>)
  launch(
      "_ZN2at6native29vectorized_elementwise_kernelILi4E1FSt5arrayIPcLm2EEEEviT"
      "0_T1_",
      arguments.data(),
      stream);
}

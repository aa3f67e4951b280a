// Batch normalisation by cuDNN's own calls. What they are given is looked at by
// its first byte: descriptors of this kind are not kept.

#include <cudnn.h>

#include <initializer_list>

#include "cudnn_descriptor.h"
#include "current.h"
#include "faults.h"
#include "memory.h"
#include "order.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

void use(
    cudnnHandle_t handle,
    std::initializer_list<const void*> operands,
    bool writes) {
  for (const void* operand : operands) {
    if (operand != nullptr) {
      expect_on_device(operand, 1, "batch normalisation");
      use_in_order(
          stream_of(handle), {operand, 1, writes}, "batch normalisation");
    }
  }
}

cudnnStatus_t executed(
    cudnnHandle_t handle,
    std::initializer_list<const void*> read,
    std::initializer_list<const void*> written) {
  count(Count::kPlans);
  use(handle, read, /*writes=*/false);
  use(handle, written, /*writes=*/true);
  return launch_error(current_device()) == cudaSuccess
      ? CUDNN_STATUS_SUCCESS
      : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t no_bytes(std::size_t* bytes) {
  *bytes = 0;
  return CUDNN_STATUS_SUCCESS;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle,
    cudnnBatchNormMode_t,
    cudnnBatchNormOps_t,
    const void*,
    const void*,
    const cudnnTensorDescriptor_t,
    const void* x,
    const cudnnTensorDescriptor_t,
    const void* z,
    const cudnnTensorDescriptor_t,
    void* y,
    const cudnnTensorDescriptor_t,
    const void* scale,
    const void* bias,
    double,
    void* running_mean,
    void* running_variance,
    double,
    void* mean,
    void* inverse,
    cudnnActivationDescriptor_t,
    void*,
    std::size_t,
    void*,
    std::size_t) {
  return executed(
      handle,
      {x, z, scale, bias},
      {y, running_mean, running_variance, mean, inverse});
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle,
    cudnnBatchNormMode_t,
    const void*,
    const void*,
    const cudnnTensorDescriptor_t,
    const void* x,
    const cudnnTensorDescriptor_t,
    void* y,
    const cudnnTensorDescriptor_t,
    const void* scale,
    const void* bias,
    const void* mean,
    const void* variance,
    double) {
  return executed(handle, {x, scale, bias, mean, variance}, {y});
}

cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle,
    cudnnBatchNormMode_t,
    cudnnBatchNormOps_t,
    const void*,
    const void*,
    const void*,
    const void*,
    const cudnnTensorDescriptor_t,
    const void* x,
    const cudnnTensorDescriptor_t,
    const void* y,
    const cudnnTensorDescriptor_t,
    const void* dy,
    const cudnnTensorDescriptor_t,
    void* dz,
    const cudnnTensorDescriptor_t,
    void* dx,
    const cudnnTensorDescriptor_t,
    const void* scale,
    const void* bias,
    void* dscale,
    void* dbias,
    double,
    const void* mean,
    const void* inverse,
    cudnnActivationDescriptor_t,
    void*,
    std::size_t,
    void*,
    std::size_t) {
  return executed(
      handle, {x, y, dy, scale, bias, mean, inverse}, {dz, dx, dscale, dbias});
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t,
    cudnnBatchNormMode_t,
    cudnnBatchNormOps_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnActivationDescriptor_t,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t,
    cudnnBatchNormMode_t,
    cudnnBatchNormOps_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t,
    const cudnnActivationDescriptor_t,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t,
    cudnnBatchNormMode_t,
    cudnnBatchNormOps_t,
    const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

} // extern "C"

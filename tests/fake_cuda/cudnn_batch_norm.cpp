// Batch normalisation by cuDNN's own calls. Declared here without NVIDIA's
// headers: of their many operands only the last ones are looked at.

#include <cstddef>

#include "current.h"
#include "faults.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

constexpr int kSuccess = 0;
constexpr int kExecutionFailed = 5000;

int executed() {
  count(Count::kPlans);
  return launch_error(current_device()) == cudaSuccess ? kSuccess
                                                       : kExecutionFailed;
}

int no_bytes(std::size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

} // namespace
} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

int cudnnBatchNormalizationForwardTrainingEx(...) {
  return executed();
}

int cudnnBatchNormalizationForwardInference(...) {
  return executed();
}

int cudnnBatchNormalizationBackwardEx(...) {
  return executed();
}

int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    void*,
    int,
    int,
    void*,
    void*,
    void*,
    void*,
    void*,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

int cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    void*,
    int,
    int,
    void*,
    void*,
    void*,
    void*,
    void*,
    void*,
    void*,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    void*,
    int,
    int,
    void*,
    void*,
    std::size_t* bytes) {
  return no_bytes(bytes);
}

} // extern "C"

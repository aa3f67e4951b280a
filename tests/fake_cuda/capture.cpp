// Capture of streams into graphs: rules during capture, and the calls that
// create and launch a graph. A graph has no nodes here; its launches are
// counted.

#include "capture.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <set>
#include <string>

#include "current.h"
#include "faults.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

std::mutex mutex;

std::set<cudaStream_t>& captured() {
  static auto* const all = new std::set<cudaStream_t>;
  return *all;
}

thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;

template <typename Handle>
Handle some_handle() {
  static char place;
  return reinterpret_cast<Handle>(&place);
}

} // namespace

bool is_capturing(cudaStream_t stream) {
  const std::scoped_lock lock(mutex);
  return captured().contains(stream);
}

void expect_no_capture(const char* call) {
  const std::scoped_lock lock(mutex);
  if (!captured().empty() && mode != cudaStreamCaptureModeRelaxed) {
    violation(std::string(call) + " while a stream is captured");
  }
}

void expect_not_captured(cudaStream_t stream, const char* call) {
  if (is_capturing(stream)) {
    violation(std::string(call) + " on a stream that is captured");
  }
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr) {
    violation("capture of the default stream");
    return cudaErrorStreamCaptureUnsupported;
  }
  const std::scoped_lock lock(mutex);
  captured().insert(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::scoped_lock lock(mutex);
  *graph = some_handle<cudaGraph_t>();
  return captured().erase(stream) > 0 ? cudaSuccess : cudaErrorIllegalState;
}

cudaError_t cudaStreamIsCapturing(
    cudaStream_t stream,
    cudaStreamCaptureStatus* status) {
  *status = is_capturing(stream) ? cudaStreamCaptureStatusActive
                                 : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream,
    cudaStreamCaptureStatus* status,
    unsigned long long* id,
    cudaGraph_t*,
    const cudaGraphNode_t**,
    const cudaGraphEdgeData**,
    std::size_t*) {
  if (id != nullptr) {
    *id = is_capturing(stream) ? 1 : 0;
  }
  return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* given) {
  std::swap(mode, *given);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(
    cudaGraphExec_t* graph,
    cudaGraph_t,
    unsigned long long) {
  *graph = some_handle<cudaGraphExec_t>();
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  count(Count::kGraphLaunches);
  return launch_error(current_device());
}

cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, std::size_t* n) {
  *n = 0;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return cudaSuccess;
}

} // extern "C"

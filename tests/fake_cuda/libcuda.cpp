// libcuda.so.1, of which torch opens a few functions by itself.

#include <cuda.h>

extern "C" {

// The runtime's stand-in knows where this process has contexts.
__attribute__((weak)) int fake_cuda_has_context(int device);

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the fake driver";
  return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (flags != nullptr) {
    *flags = 0;
  }
  *active = fake_cuda_has_context(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  static char place;
  *context = reinterpret_cast<CUcontext>(&place);
  return CUDA_SUCCESS;
}

} // extern "C"

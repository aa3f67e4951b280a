// Functions of CUDA's libraries that only return success, because no test
// depends on their effects. unwritten.py generates the functions that no file
// defines; they end the program.

#define FAKE_CUDA_SUCCEEDS(name) \
  extern "C" int name(...) {     \
    return 0;                    \
  }

FAKE_CUDA_SUCCEEDS(cublasSetMathMode)
FAKE_CUDA_SUCCEEDS(cublasSetPointerMode_v2)
FAKE_CUDA_SUCCEEDS(cublasSetWorkspace_v2)
FAKE_CUDA_SUCCEEDS(cublasLtMatmulPreferenceDestroy)
FAKE_CUDA_SUCCEEDS(cublasLtMatmulPreferenceSetAttribute)
FAKE_CUDA_SUCCEEDS(cudnnDestroyActivationDescriptor)
FAKE_CUDA_SUCCEEDS(cudnnDestroyFilterDescriptor)
FAKE_CUDA_SUCCEEDS(cudnnDestroyTensorDescriptor)
FAKE_CUDA_SUCCEEDS(cudnnSetActivationDescriptor)
FAKE_CUDA_SUCCEEDS(cudnnSetFilterNdDescriptor)
FAKE_CUDA_SUCCEEDS(cudnnSetTensorNdDescriptor)

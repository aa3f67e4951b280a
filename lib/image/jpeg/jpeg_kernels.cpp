#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {

const JpegKernels& jpeg_kernels(Simd simd) {
  switch (simd) {
    case Simd::kAvx512:
      return kJpegKernelsAvx512;
    case Simd::kAvx2:
      return kJpegKernelsAvx2;
    case Simd::kScalar:
      break;
  }
  return kJpegKernelsScalar;
}

} // namespace vitrain::image::detail

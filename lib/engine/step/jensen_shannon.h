#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

struct JensenShannon {
  std::int64_t splits = 3; // versions of each sample
  double alpha = 12.0; // weight of the divergence
  double label_smoothing = 0.0;
  at::Tensor class_weights{}; // weights in the cross entropy: [C], or undefined
};

// Returns the loss of each sample, [N] fp32, of AugMix (Hendrycks et al., ICLR
// 2020), as timm's JsdCrossEntropy: cross entropy of the first version of each
// sample, plus alpha times the mean over all versions of the divergence of
// their probabilities from the mean probabilities, which are clamped to at
// least 1e-7. outputs: [splits N, C] fp32, the first versions of all samples
// first; labels: [N] int64.
at::Tensor jensen_shannon(
    const JensenShannon& options,
    const at::Tensor& outputs,
    const at::Tensor& labels);

} // namespace vitrain::engine

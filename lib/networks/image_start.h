#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// Mixin for a Model that initialises some of its weights from training images
// instead of random numbers.
class ImageStart {
 public:
  virtual ~ImageStart() = default;

  // Number of training images to pass to start_from(); all images, if the
  // training set has fewer.
  virtual std::int64_t start_images() const = 0;
  // Sets the weights that depend on images, from normalised images [N,
  // channels, H, W], fp32 on the CPU. Deterministic: uses no random numbers.
  virtual void start_from(const at::Tensor& images) = 0;
};

// Returns fp32 filters [2 C K K, C, K, K] that whiten patches of K x K pixels
// (K: `kernel`) of images [N, C, H, W]: eigenvectors of the patches' second
// moments, largest first, each divided by sqrt(eigenvalue + eps), then the same
// filters negated.
at::Tensor
whitening_filters(const at::Tensor& images, std::int64_t kernel, double eps);

} // namespace vitrain::networks

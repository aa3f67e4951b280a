#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// A network some of whose weights start from the training images instead of
// from random numbers: a second base of such a Model.
class ImageStart {
 public:
  virtual ~ImageStart() = default;

  // How many training images it wants to see.
  virtual std::int64_t start_images() const = 0;
  // Sets those weights from normalised images [N, channels, S, S], fp32 on the
  // CPU. A pure function of them.
  virtual void start_from(const at::Tensor& images) = 0;
};

// Filters [2 C K K, C, K, K] that whiten patches of K x K pixels of the images
// [N, C, H, W]: eigenvectors of the patches' second moments, largest first,
// each over sqrt(eigenvalue + eps), then the same with the other sign.
at::Tensor
whitening_filters(const at::Tensor& images, std::int64_t kernel, double eps);

} // namespace vitrain::networks

#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/eval.h"
#include "config/sections/preprocess.h"
#include "models/families/spec.h"

// Test-time augmentation: outputs are the weighted mean over views of an image.
namespace vitrain::engine {

// Returns `spec` with the size at which images must be read for these views:
// for crops, the whole resized image from which they are cut; otherwise
// unchanged. Throws Error(kUsage) if the views are impossible: for any but
// kNone, a network that does not classify images; for crops, another crop_mode
// than center, or no margin around the network's image.
models::ModelSpec with_room_for_views(
    config::Tta tta,
    const config::PreprocessConfig& preprocess,
    models::ModelSpec spec);

// One view of each image, and the weight of its outputs in the mean.
struct View {
  at::Tensor images;
  double weight = 1.0;
};

// Returns the views of images [N, C, H, W], each [N, C, size.height,
// size.width]; only for crops may H and W be larger than `size`. Crops follow
// torchvision's FiveCrop and TenCrop: top left, top right, bottom left, bottom
// right, centre, then the mirrored crops. Shifts follow "94% on CIFAR-10
// in 3.29 seconds" (Jordan, arXiv:2404.00498).
std::vector<View>
views_of(config::Tta tta, const at::Tensor& images, const ImageSize& size);

} // namespace vitrain::engine

#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/data/preprocess.h"
#include "config/sections/eval.h"
#include "models/spec.h"

// Test-time augmentation: outputs are the mean over views of an image.
namespace vitrain::engine {

// `spec` as the rows of an evaluation with such views have to be read: for
// crops with the whole square that they are cut out of. Throws Error(kUsage)
// where there are no such views.
models::ModelSpec with_room_for_views(
    config::Tta tta,
    const config::PreprocessConfig& preprocess,
    models::ModelSpec spec);

// A view of each image, and how much its outputs count.
struct View {
  at::Tensor images;
  double weight = 1.0;
};

// Of images [N, C, H, W], each [N, C, size]. Crops as torchvision's FiveCrop
// and TenCrop have them: the corners (top left, top right, bottom left, bottom
// right), the middle, and then the mirror images. Shifts as "94% on CIFAR-10 in
// 3.29 seconds" (Jordan, arXiv:2404.00498) has them.
std::vector<View>
views_of(config::Tta tta, const at::Tensor& images, const ImageSize& size);

} // namespace vitrain::engine

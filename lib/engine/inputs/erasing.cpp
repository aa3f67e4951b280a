#include "engine/inputs/erasing.h"

#include <mutex>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

at::Tensor
numbers(at::IntArrayRef shape, const at::Tensor& like, at::Generator& noise) {
  return at::empty(shape, like.options()).normal_(0.0, 1.0, noise);
}

} // namespace

void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    at::Generator& noise) {
  if (erasing.boxes.empty()) {
    return;
  }
  {
    const std::lock_guard lock(noise.mutex());
    noise.set_current_seed(erasing.noise);
  }
  for (const image::Rect& box : erasing.boxes) {
    const at::Tensor part =
        image.narrow(1, box.top, box.height).narrow(2, box.left, box.width);
    switch (mode) {
      case config::EraseMode::kConst:
        part.zero_();
        break;
      case config::EraseMode::kRand:
        part.copy_(numbers({image.size(0), 1, 1}, image, noise));
        break;
      case config::EraseMode::kPixel:
        part.copy_(numbers(part.sizes(), image, noise));
        break;
    }
  }
}

} // namespace vitrain::engine

#include "data/pipeline.h"

#include "core/random.h"
#include "image/crop.h"
#include "image/flip.h"
#include "image/grey.h"

namespace vitrain::data {
namespace {

Random stream(
    const TransformOptions& options,
    Purpose purpose,
    std::int64_t epoch,
    std::int64_t sample) {
  return {
      options.seed,
      purpose,
      static_cast<std::uint64_t>(epoch),
      static_cast<std::uint64_t>(sample)};
}

} // namespace

void Transform::apply(
    const image::Image& image,
    std::int64_t epoch,
    std::int64_t sample,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  if (options_.channels == 3) {
    apply_in_colour(image, epoch, sample, out, scratch);
    return;
  }
  scratch.colours.resize(3 * out.size());
  apply_in_colour(image, epoch, sample, scratch.colours, scratch);
  image::to_grey(scratch.colours, out);
}

void Transform::apply_in_colour(
    const image::Image& image,
    std::int64_t epoch,
    std::int64_t sample,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  const image::View view(image);
  if (!options_.train || options_.crop == CropKind::kNone) {
    image::resize_and_center_crop(
        view, options_.size, options_.crop_pct, options_.filter, out);
  } else if (options_.crop == CropKind::kPad) {
    pad_crop(view, epoch, sample, out, scratch);
  } else {
    Random random = stream(options_, Purpose::kCrop, epoch, sample);
    const image::Rect rect = image::draw_resized_crop(
        view.width, view.height, options_.scale, options_.ratio, random);
    image::resized_crop(view, rect, options_.size, options_.filter, out);
  }
  if (options_.train &&
      stream(options_, Purpose::kFlip, epoch, sample).uniform() <
          options_.flip) {
    image::flip_horizontally({out, options_.size, options_.size});
  }
}

void Transform::pad_crop(
    const image::View& view,
    std::int64_t epoch,
    std::int64_t sample,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  const int size = options_.size;
  Random random = stream(options_, Purpose::kCrop, epoch, sample);
  const auto offsets = 2 * static_cast<std::uint64_t>(options_.padding) + 1;
  const int top = static_cast<int>(random.below(offsets));
  const int left = static_cast<int>(random.below(offsets));
  if (view.width == size && view.height == size) {
    image::padded_crop(view, options_.padding, left, top, size, out);
    return;
  }
  image::Image& square = scratch.square;
  square.width = size;
  square.height = size;
  square.pixels.resize(out.size());
  image::resize_and_center_crop(
      view, size, /*crop_pct=*/1.0, options_.filter, square.pixels);
  image::padded_crop(
      image::View(square), options_.padding, left, top, size, out);
}

} // namespace vitrain::data

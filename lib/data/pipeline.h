#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/image.h"
#include "image/resample.h"

namespace vitrain::data {

enum class CropKind { kNone, kPad, kResized };

struct TransformOptions {
  int size = 224; // side of the result
  int channels = 3; // of the result: 3, or 1 for grey
  image::Filter filter = image::Filter::kBicubic;
  double crop_pct = 0.875; // evaluation, and training with kNone
  bool train = false; // false: the fields below have no effect
  CropKind crop = CropKind::kResized;
  std::array<double, 2> scale{0.08, 1.0}; // kResized
  std::array<double, 2> ratio{0.75, 4.0 / 3.0}; // kResized
  int padding = 4; // kPad
  double flip = 0.5; // probability of a horizontal flip
  std::uint64_t seed = 0;
};

// From a decoded image to the pixels that the network sees (before
// normalisation). A pure function of (options, image, epoch, sample);
// thread-safe.
//   evaluation, or kNone: shorter side to floor(size / crop_pct), centre crop;
//   kResized: torchvision's RandomResizedCrop;
//   kPad: a random size x size window of the image with `padding` black pixels
//     on every side; an image that is not size x size is first brought there by
//     resizing its shorter side to `size` and cutting out the centre.
// In training a flip follows; at the end colours become grey, if asked for.
class Transform {
 public:
  // Buffers that a thread keeps from image to image.
  struct Scratch {
    std::vector<std::uint8_t> colours; // of a grey result: [size, size, 3]
    image::Image square; // kPad: before padding
  };

  explicit Transform(const TransformOptions& options) : options_(options) {}

  int size() const { return options_.size; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(options_.size) * options_.size *
        options_.channels;
  }
  // Writes [size, size, channels] to `out`, which holds bytes() bytes.
  void apply(
      const image::Image& image,
      std::int64_t epoch,
      std::int64_t sample,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;

 private:
  // Both write [size, size, 3].
  void apply_in_colour(
      const image::Image& image,
      std::int64_t epoch,
      std::int64_t sample,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;
  void pad_crop(
      const image::View& view,
      std::int64_t epoch,
      std::int64_t sample,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;

  TransformOptions options_;
};

} // namespace vitrain::data

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/augment/augment.h"
#include "data/augment/draw.h"
#include "image/formats/decode.h"
#include "image/image.h"
#include "image/operations/crop_plan.h"
#include "image/operations/resample.h"
#include "options/crop.h"

namespace vitrain::data {

struct TransformOptions {
  image::DecodeOptions decode; // for sources with encoded files
  image::Size size = 224; // size of the result in pixels
  // Channels of the result. 3: RGB; 1: grey; any other count: the image must
  // have that many channels, and of the augmentations only flips are applied.
  int channels = 3;
  // Filter of evaluation, TrainCrop::kNone and kSquash.
  Filter filter = Filter::kBicubic;
  // Version of Pillow whose resizing is reproduced.
  image::Pillow pillow = image::Pillow::k12;
  // crop_mode, resize, crop_pct and fill apply in evaluation, and in training
  // with TrainCrop::kNone.
  CropMode crop_mode = CropMode::kCenter;
  // Size before the crop, of the side that CropMode names; 0: floor(size /
  // crop_pct) per side.
  int resize = 0;
  double crop_pct = 0.875;
  std::array<std::uint8_t, 3> fill{}; // colour outside the image
  // False: evaluation; the members from `crop` on have no effect.
  bool train = false;
  TrainCrop crop = TrainCrop::kResized;
  // Filter of all crops except kNone and kSquash.
  Filter train_filter = Filter::kBicubic;
  // Overrides train_filter: bilinear or bicubic, with probability 1/2 each.
  bool random_filter = false;
  // Range of the visible fraction of the image's area; for kResized, kRkrr and
  // kRkrc.
  std::array<double, 2> scale{0.08, 1.0};
  // Range of width over height (for kRkrr and kRkrc: of the change of that
  // ratio); for kResized, kRkrr and kRkrc.
  std::array<double, 2> ratio{0.75, 4.0 / 3.0};
  int padding = 4; // kPad: pixels on each side
  bool reflects = false; // kPad: pads by reflection instead of black
  double flip = 0.5; // probability of a horizontal flip
  // Samples a sample's flip once, as in epoch 0; odd epochs use the opposite.
  bool flip_alternates = false;
  AugmentOptions augment; // its `seed` is set separately
  // Number of versions (AugMix's splits) of each image in the result, one after
  // the other. With more than one, the first version has only crop and flips;
  // each further one also has its own random changes of `augment`.
  std::int64_t splits = 1;
  std::uint64_t seed = 0;
};

// Converts a decoded image to the pixels that the network sees (before
// normalisation). A pure function of (options, image, draw); thread-safe. The
// crop comes from:
//   - image::plan_eval_crop in evaluation and for kNone and kSquash;
//   - image::draw_resized_crop for kResized;
//   - image::plan_padded_crop for kPad;
//   - image::plan_keep_ratio_crop for kRkrr and kRkrc.
// In training a horizontal flip and data::Augment follow. The conversion to
// grey, if requested, comes last.
class Transform {
 public:
  // Buffers that a thread reuses between images.
  struct Scratch {
    image::Resampler resampler;
    AugmentScratch augment;
    // RGB pixels before conversion to grey or join_channels().
    std::vector<std::uint8_t> colours;
  };

  explicit Transform(const TransformOptions& options)
      : options_(options), augment_(options.augment) {}

  const image::DecodeOptions& decode() const { return options_.decode; }
  int channels() const { return options_.channels; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(splits()) *
        static_cast<std::size_t>(options_.size.width) * options_.size.height *
        options_.channels;
  }
  // Returns the crop plan for an image of this size. Only the pixels of its
  // source() have to be decoded.
  image::CropPlan plan(int width, int height, const Draw& draw) const;
  // Writes [splits, height, width, channels] to `out`, which has size bytes().
  // `part` must contain the pixels of plan.source(); `plan` must be made from
  // the same draw.
  void apply(
      const image::CropPlan& plan,
      const image::ImagePart& part,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;
  // Applies the transform to a whole image.
  void apply(
      const image::Image& image,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const {
    const image::CropPlan all = plan(image.width, image.height, draw);
    apply(all, {image::View(image)}, draw, out, scratch);
  }
  // Applies the transform to an image with a channel count other than 1 or 3,
  // given as pictures of equal size (image/operations/channels.h). Requires one
  // split. Applies no augmentations but flips.
  void apply(
      std::span<const image::Image> pictures,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;

 private:
  image::CropPlan plan_in_training(int width, int height, const Draw& draw)
      const;
  image::CropPlan plan_otherwise(int width, int height, const Draw& draw) const;
  bool flips(const Draw& draw) const;
  std::int64_t splits() const { return options_.train ? options_.splits : 1; }
  // Augments the versions of a cropped image in `colours` [splits, height,
  // width, 3]. Only the first version is filled on entry. Copies it to the
  // other versions after the vertical flip, and changes those (with one
  // version: changes it).
  void augment(
      std::span<std::uint8_t> colours,
      const Draw& draw,
      AugmentScratch& scratch) const;

  TransformOptions options_;
  Augment augment_;
};

} // namespace vitrain::data

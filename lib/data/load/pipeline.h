#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/augment/augment.h"
#include "data/order/draw.h"
#include "image/formats/decode.h"
#include "image/image.h"
#include "image/resample/crop_plan.h"
#include "image/resample/resample.h"
#include "options/crop.h"

namespace vitrain::data {

struct TransformOptions {
  image::DecodeOptions decode; // of sources that have files
  image::Size size = 224; // of the result
  // Of the result: 3; 1 for grey; another number for images that have so many,
  // of which `augment` changes nothing but the direction.
  int channels = 3;
  Filter filter = Filter::kBicubic;
  image::Pillow pillow = image::Pillow::k12; // whose resizes
  // Evaluation, and training with kNone or (filter alone) kSquash:
  CropMode crop_mode = CropMode::kCenter;
  int resize = 0; // 0: floor(size / crop_pct), of each side
  double crop_pct = 0.875;
  std::array<std::uint8_t, 3> fill{}; // kBorder: what surrounds the image
  bool train = false; // false: the fields below have no effect
  TrainCrop crop = TrainCrop::kResized;
  Filter train_filter = Filter::kBicubic; // all but kNone and kSquash
  bool random_filter = false; // instead: bilinear or bicubic, each as often
  std::array<double, 2> scale{0.08, 1.0}; // kResized, kKeepRatio*
  std::array<double, 2> ratio{0.75, 4.0 / 3.0}; // likewise
  int padding = 4; // kPad
  bool reflects = false; // kPad: the image continues there, instead of black
  double flip = 0.5; // probability of a horizontal flip
  // Drawn for epoch 0: an odd epoch shows what the one before did not.
  bool flip_alternates = false;
  AugmentOptions augment; // with the same seed
  // Versions of the image in the result, one behind the other: with more than
  // one (AugMix's splits) the first has crop and flips alone, and each of the
  // others `augment`'s changes of its own.
  std::int64_t splits = 1;
  std::uint64_t seed = 0;
};

// From a decoded image to the pixels that the network sees (before
// normalisation). A pure function of (options, image, draw);
// thread-safe.
//   evaluation, kNone or kSquash: image::plan_eval_crop;
//   kResized: image::draw_resized_crop;
//   kPad: image::plan_padded_crop;
//   kKeepRatio, kKeepRatioCentre: image::plan_keep_ratio_crop.
// In training a flip and data::Augment follow; at the end colours become grey,
// if asked for.
class Transform {
 public:
  // What a thread keeps from image to image.
  struct Scratch {
    image::Resampler resampler;
    AugmentScratch augment;
    std::vector<std::uint8_t> colours; // before they are grey, or joined
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
  // Where the pixels of an image of this size go; its source() is all that has
  // to be decoded.
  image::CropPlan plan(int width, int height, const Draw& draw) const;
  // Writes [height, width, channels], and that for each split, to `out`, which
  // holds bytes() bytes.
  // `part` holds at least the pixels of plan.source(); `plan` is that of the
  // same draw.
  void apply(
      const image::CropPlan& plan,
      const image::ImagePart& part,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;
  // The same with all pixels of an image.
  void apply(
      const image::Image& image,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const {
    const image::CropPlan all = plan(image.width, image.height, draw);
    apply(all, {image::View(image)}, draw, out, scratch);
  }
  // Of an image with another number of channels than 1 or 3, as pictures of
  // one size (image/operations/channels.h).
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
  // Of pixels that are cropped, in the place of the first split; the others
  // are written.
  void augment(
      std::span<std::uint8_t> colours,
      const Draw& draw,
      AugmentScratch& scratch) const;

  TransformOptions options_;
  Augment augment_;
};

} // namespace vitrain::data

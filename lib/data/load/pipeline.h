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
  // Channels of the result: 3; 1 for grey; other counts: the image's own
  // channels; only flips apply.
  int channels = 3;
  Filter filter = Filter::kBicubic;
  image::Pillow pillow =
      image::Pillow::k12; // version whose resizing is reproduced
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
  // The direction is sampled for epoch 0; odd epochs show the other direction.
  bool flip_alternates = false;
  AugmentOptions augment; // uses the same seed
  // Number of versions of the image in the result, adjacent. With more than one
  // (AugMix's splits), the first has only crop and flips, and each further one
  // its own changes of `augment`.
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
  // Buffers that a thread reuses between images.
  struct Scratch {
    image::Resampler resampler;
    AugmentScratch augment;
    std::vector<std::uint8_t> colours; // before conversion to grey or joining
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
  // Writes [splits, height, width, channels] to `out`, which holds bytes()
  // bytes. `part` holds at least the pixels of plan.source(); `plan` is the
  // plan of the same draw.
  void apply(
      const image::CropPlan& plan,
      const image::ImagePart& part,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const;
  // Applies to a whole image.
  void apply(
      const image::Image& image,
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& scratch) const {
    const image::CropPlan all = plan(image.width, image.height, draw);
    apply(all, {image::View(image)}, draw, out, scratch);
  }
  // Applies to an image with other channel counts than 1 or 3, given as
  // pictures of one size (image/operations/channels.h).
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
  // Augments cropped pixels at the place of the first split, and writes the
  // further splits.
  void augment(
      std::span<std::uint8_t> colours,
      const Draw& draw,
      AugmentScratch& scratch) const;

  TransformOptions options_;
  Augment augment_;
};

} // namespace vitrain::data

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/schema/auto_augment_text.h"
#include "config/sections/augment_kinds.h"
#include "config/sections/augment_stage.h"
#include "config/sections/erase.h"
#include "config/sections/mix.h"
#include "options/crop.h"
#include "options/image_size.h"

namespace vitrain::config {

// Random changes to training images.
struct AugmentConfig {
  std::vector<std::string> stages; // items as in augment_stage.h
  std::optional<ImageSize> image_size;
  TrainCrop crop = TrainCrop::kResized;
  TrainInterpolation interpolation = TrainInterpolation::kSame;
  std::optional<std::array<double, 2>> scale;
  std::optional<std::array<double, 2>> ratio;
  std::int64_t padding = 4;
  PaddingMode padding_mode = PaddingMode::kBlack;
  double flip = 0.5;
  bool flip_alternates = false;
  double vertical_flip = 0.0;
  std::optional<std::string> auto_augment;
  std::optional<AugmentInterpolation> auto_augment_interpolation;
  std::optional<std::array<std::int64_t, 3>> auto_augment_fill;
  std::vector<double> color_jitter;
  double color_jitter_prob = 1.0;
  bool force_color_jitter = false;
  double grayscale = 0.0;
  double gaussian_blur = 0.0;
  std::array<double, 2> gaussian_blur_radius{0.1, 2.0};
  double solarize = 0.0;
  std::int64_t solarize_threshold = 128;
  MixConfig mix;
  EraseConfig erase;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "stages",
         stages,
         "Values of these keys from an epoch on; other keys do not change: "
         "`[{from_epoch: 31, image_size: 192, mixup: 0.2}]`. Larger images "
         "and stronger changes from stage to stage are progressive learning "
         "(Tan and Le, \"EfficientNetV2\", ICML 2021). A stage may also "
         "change `batch_size`, in the unit of data.batch_size; the learning "
         "rate still follows the schedule by epochs.")
        .written_as(kAugmentStageForm, validate_augment_stage)
        .as_maps();
    v.field(
         "image_size",
         image_size,
         "Training images in pixels, as model.image_size, where evaluation "
         "has more (FixRes, Touvron et al., 2019); for networks without "
         "positions and, with positions resampled from model.image_size in "
         "every pass, the families vit and deit. `auto`: model.image_size.")
        .auto_value()
        .in_range(1, 4096);
    v.field(
        "crop",
        crop,
        "`resized`: random resized crop; `pad`: the image resized to cover "
        "image_size, padded, and a random crop, as DeiT's --src (torchvision's "
        "RandomCrop alone does not resize); `rkrr`, `rkrc`: timm's resize in "
        "proportion with random zoom and aspect, then a random or the centre "
        "crop; `squash`: the whole image, whatever its proportions; `none`: as "
        "in evaluation.");
    v.field(
        "interpolation",
        interpolation,
        "Filter of crops except `none` and `squash`; `same`: as in "
        "data.preprocess, `random`: bilinear or bicubic for each image "
        "(timm's default).");
    v.field(
         "scale",
         scale,
         "`resized`, `rkrr`, `rkrc`: range of the crop's share of the area; "
         "`auto`: [0.08, 1], for the latter two [0.8, 1].")
        .auto_value()
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending();
    v.field(
         "ratio",
         ratio,
         "`resized`: range of width over height, `auto`: [3/4, 4/3]; `rkrr`, "
         "`rkrc`: of the factor of that ratio, `auto`: [0.9, 1/0.9].")
        .auto_value()
        .each_more_than(0.0)
        .ascending();
    v.field("padding", padding, "`pad`: pixels on each side.")
        .in_range(0, 1024)
        .needs("data.augment.crop", crop, TrainCrop::kPad);
    v.field(
         "padding_mode",
         padding_mode,
         "`pad`: with `black`, or `reflect`: the image continued at its "
         "outermost pixels, as torchvision does it for paddings of less than "
         "half a side.")
        .needs("data.augment.crop", crop, TrainCrop::kPad);
    v.field("flip", flip, "Probability of a horizontal flip.")
        .in_range(0.0, 1.0);
    v.field(
         "flip_alternates",
         flip_alternates,
         "`flip` is drawn for the first epoch; each later epoch mirrors "
         "every image compared with the epoch before (Jordan, 2024).")
        .needs("data.augment.flip", [this] { return flip > 0.0; });
    visit_colours(v);
    mix.visit(v);
    erase.visit(v);
  }

  // Keys of the changes after crop and horizontal flip, in the order in which
  // they are applied.
  template <typename Visitor>
  void visit_colours(Visitor& v) {
    const auto probability = [&](const char* key, double& p, const char* help) {
      v.field(key, p, help).in_range(0.0, 1.0);
    };
    probability(
        "vertical_flip", vertical_flip, "Probability of a vertical flip.");
    v.field(
         "auto_augment",
         auto_augment,
         "A policy in timm's words, as `rand-m9-mstd0.5-inc1`, `v0`, `3a` or "
         "`augmix-m5-w4-d2`, or `torchvision:randaugment-n2-m9-b31`, "
         "`torchvision:autoaugment-cifar10`, `torchvision:trivialaugment`, "
         "`torchvision:augmix-s3` (docs/guide/augment.md).")
        .written_as(
            "policy, as in rand-m9-mstd0.5-inc1", validate_auto_augment);
    v.field(
         "auto_augment_interpolation",
         auto_augment_interpolation,
         "How auto_augment turns, shears and shifts; `random`: bilinear or "
         "bicubic. `auto`: timm's policies as the crops, but bicubic for box, "
         "hamming and lanczos, torchvision's `nearest` (its augmix "
         "`bilinear`).")
        .auto_value()
        .needs("data.augment.auto_augment", [this] {
          return auto_augment.has_value();
        });
    v.field(
         "auto_augment_fill",
         auto_augment_fill,
         "Red, green, blue of what auto_augment moves in from outside the "
         "image. `auto`: timm's policies preprocess.mean, torchvision's black.")
        .auto_value()
        .each_at_least(0)
        .each_at_most(255)
        .needs("data.augment.auto_augment", [this] {
          return auto_augment.has_value();
        });
    v.field(
         "color_jitter",
         color_jitter,
         "How far factors of brightness, contrast and saturation may be from "
         "1: one number, or one for each; a fourth is for the hue, in turns of "
         "the circle (0 to 0.5). Not with auto_augment other than 3-Augment "
         "(timm's rule), but for force_color_jitter.")
        .one_or_list()
        .each_at_least(0.0);
    probability(
        "color_jitter_prob", color_jitter_prob, "Probability of color_jitter.");
    v.field(
        "force_color_jitter",
        force_color_jitter,
        "color_jitter with auto_augment too.");
    probability("grayscale", grayscale, "Probability of grey colours.");
    probability(
        "gaussian_blur", gaussian_blur, "Probability of Pillow's blur.");
    v.field(
         "gaussian_blur_radius",
         gaussian_blur_radius,
         "Range of the blur's standard deviation, in pixels.")
        .each_at_least(0.0)
        .each_at_most(100.0)
        .ascending()
        .needs("data.augment.gaussian_blur", [this] {
          return gaussian_blur > 0.0;
        });
    probability(
        "solarize",
        solarize,
        "Probability that values from solarize_threshold on are inverted.");
    v.field(
         "solarize_threshold",
         solarize_threshold,
         "The smallest value that solarize inverts.")
        .in_range(0, 256);
  }
};

} // namespace vitrain::config

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/schema/duration.h"
#include "config/sections/train.h"
#include "core/enum_names.h"

namespace vitrain::config {

// Test-time augmentation: versions of an image whose outputs (logits) are
// averaged, for kFlipShift with weights.
enum class Tta { kNone, kFlip, kFlipShift, kFiveCrop, kTenCrop };
constexpr auto names_of(Tta) {
  using enum Tta;
  return enum_names<Tta>(
      {{kNone, "none"},
       {kFlip, "flip"},
       {kFlipShift, "flip_shift"},
       {kFiveCrop, "five_crop"},
       {kTenCrop, "ten_crop"}});
}

// Evaluation, during training and of saved weights.
struct EvalConfig {
  Duration every{1.0, Duration::Unit::kEpochs};
  bool check_classes = true;
  Precision precision = Precision::kFp32;
  Tta tta = Tta::kNone;
  std::optional<std::int64_t> batches;
  std::optional<std::string> subset;
  std::optional<std::string> real_labels;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "Interval of evaluation during training; the end of the run is always "
         "evaluated.")
        .more_than(0.0);
    v.field(
        "check_classes",
        check_classes,
        "With -eval: the class names of the data must equal those of the "
        "checkpoint; with train.distill: the class names of the training "
        "data must equal the teacher's.");
    v.field(
        "precision",
        precision,
        "Of the forward pass in evaluations: `fp32`, in which numbers are "
        "published, whatever train.precision says; `auto`: as it.");
    v.field(
        "tta",
        tta,
        "Outputs are the mean over several views of each image. `flip`: it and "
        "its mirror image; `flip_shift`: these, and with half their weight the "
        "same of the image shifted by a pixel up and left and down and right, "
        "edges reflected (Jordan, 2024); `five_crop`: the corners and the "
        "middle of the "
        "square of data.preprocess's resized image; `ten_crop`: these and "
        "their mirror images (Krizhevsky et al., 2012).");
    v.field(
         "batches",
         batches,
         "Evaluate only this number of first batches on each device, for "
         "trials: the results do not describe the whole dataset; `null`: all.")
        .in_range(1, 1000000000);
    v.field(
        "subset",
        subset,
        "`folder`, `list`, `tar`: a text file with a class on each line, by "
        "its name (the class folder's, as a WordNet id) or by its number in "
        "the model. Only these classes can be predicted, and only their "
        "images are evaluated. The data may lack all other classes, as "
        "ImageNet-A and ImageNet-R: their classes are matched to the model's "
        "by name.");
    v.field(
        "real_labels",
        real_labels,
        "`folder`, `list`, `tar` with the validation images of ImageNet: "
        "real.json, with reassessed labels of each image (Beyer et al., "
        "2020). Evaluations also report `real_top1`: the share of images "
        "with such labels whose prediction is one of them.");
  }
};

} // namespace vitrain::config

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/schema/duration.h"
#include "config/sections/train.h"
#include "core/text/enum_names.h"

namespace vitrain::config {

// Test-time augmentation: what of an image a prediction is the mean of.
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
        "With -eval: the names of the data's classes must be those that a "
        "checkpoint was trained with; with train.distill, those of the "
        "training "
        "data must be the ones that the teacher was trained with.");
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
         "Evaluate at most so many batches on each device, the first ones: for "
         "trials, since such numbers are not those of the dataset; `null`: "
         "all.")
        .in_range(1, 1000000000);
    v.field(
        "subset",
        subset,
        "`folder`, `list`, `tar`: a text file with a class on each line, by "
        "its name (the class folder's, as a WordNet id) or by its number in "
        "the model. Only these can be predicted, and only images of these are "
        "evaluated. The data need have no others, as ImageNet-A and "
        "ImageNet-R have not: their classes are found among the model's by "
        "name.");
    v.field(
        "real_labels",
        real_labels,
        "`folder`, `list`, `tar` with the validation images of ImageNet: "
        "real.json, with the labels that people found for each of them (Beyer "
        "et al., 2020). Evaluations tell `real_top1` too: the share of images "
        "whose prediction is one of these, of those that have any.");
  }
};

} // namespace vitrain::config

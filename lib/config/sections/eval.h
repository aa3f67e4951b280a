#pragma once

#include <cstdint>
#include <optional>

#include "config/schema/duration.h"
#include "config/sections/train.h"
#include "core/enum_names.h"

namespace vitrain::config {

// Test-time augmentation: what of an image a prediction is the mean of.
enum class Tta { kNone, kFlip, kFiveCrop, kTenCrop };
constexpr auto names_of(Tta) {
  using enum Tta;
  return enum_names<Tta>(
      {{kNone, "none"},
       {kFlip, "flip"},
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
        "checkpoint was trained with.");
    v.field(
        "precision",
        precision,
        "Of the forward pass in evaluations: `fp32`, in which numbers are "
        "published, whatever train.precision says; `auto`: as it.");
    v.field(
        "tta",
        tta,
        "Outputs are the mean over several views of each image. `flip`: it and "
        "its mirror image; `five_crop`: the corners and the middle of the "
        "square of data.preprocess's resized image; `ten_crop`: these and "
        "their mirror images (Krizhevsky et al., 2012).");
    v.field(
         "batches",
         batches,
         "Evaluate at most so many batches on each device, the first ones: for "
         "trials, since such numbers are not those of the dataset; `null`: "
         "all.")
        .in_range(1, 1000000000);
  }
};

} // namespace vitrain::config

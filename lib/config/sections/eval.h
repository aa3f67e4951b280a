#pragma once

#include "config/schema/duration.h"
#include "config/sections/train.h"

namespace vitrain::config {

// Evaluation, during training and of saved weights.
struct EvalConfig {
  Duration every{1.0, Duration::Unit::kEpochs};
  bool check_classes = true;
  Precision precision = Precision::kFp32;

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
  }
};

} // namespace vitrain::config

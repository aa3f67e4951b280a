#pragma once

#include "config/duration.h"

namespace vitrain::config {

// Evaluation during training.
struct EvalConfig {
  Duration every{1.0, Duration::Unit::kEpochs};

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "Interval of evaluation during training; the end of the run is always "
         "evaluated.")
        .more_than(0.0);
  }
};

} // namespace vitrain::config

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "models/spec.h"

namespace vitrain::exports {

// Facts needed to run an exported network.
struct Description {
  models::ModelSpec spec;
  std::vector<std::string> classes; // one per output; empty if unknown
  // Preprocessing of images, whose pixels are in [0, 1], in timm's terms.
  std::optional<std::array<double, 2>> range{}; // data.preprocess.range
  std::array<double, 3> mean{};
  std::array<double, 3> std{};
  std::string interpolation;
  std::string crop_mode;
  double crop_pct = 1.0;
  std::optional<std::int64_t> resize; // else by crop_pct
  // The record that checkpoints carry (checkpoint/read_preprocess.h); null:
  // none.
  Json record;

  // {"model": ..., "input_size": [3, 224, 224], "mean": [...], ...,
  //  "classes": [...]}; of vectors only "model", "input_size" and "classes".
  Json to_json() const;
};

} // namespace vitrain::exports

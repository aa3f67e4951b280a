#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "models/families/spec.h"

namespace vitrain::exports {

// Facts that a user needs to run an exported network.
struct Description {
  models::ModelSpec spec;
  std::vector<std::string> classes; // one name per output; empty if unknown
  // Preprocessing of images with pixels in [0, 1], in timm's terms.
  // data.preprocess.range; nullopt: unset.
  std::optional<std::array<double, 2>> range{};
  std::array<double, 3> mean{};
  std::array<double, 3> std{};
  std::string interpolation;
  std::string crop_mode;
  double crop_pct = 1.0;
  std::optional<std::int64_t> resize; // nullopt: determined by crop_pct
  // Preprocessing record of checkpoints (checkpoint/read_preprocess.h); null:
  // none.
  Json record;

  // Returns
  //   {"model": ..., "input_size": [3, 224, 224], "mean": [...], ...,
  //    "classes": [...]}
  // without members that are unset ("range", "resize") or empty ("classes").
  // "mean" and "std" have a number per channel, three for grey images. For
  // vectors it has only "model", "input_size" and "classes".
  Json to_json() const;
};

} // namespace vitrain::exports

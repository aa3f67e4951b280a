#pragma once

#include <optional>
#include <string_view>

#include "config/sections/preprocess.h"
#include "options/image_size.h"

namespace vitrain::config::foreign {

// timm's default preprocessing for one of its models.
struct TimmPreprocess {
  PreprocessConfig config; // without crop_pct, which may be above 1
  double crop_pct = 0.875;
  std::optional<ImageSize> image_size; // nullopt: the name contains it
};

// Returns nullopt for a model that timm does not have.
std::optional<TimmPreprocess> timm_preprocess(std::string_view model);

} // namespace vitrain::config::foreign

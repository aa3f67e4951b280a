#include "config/foreign/timm_preprocess.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

struct PreprocessRow {
  std::int64_t size; // 0: the model's name contains it
  std::array<double, 3> mean;
  std::array<double, 3> std;
  std::string_view interpolation;
  double crop_pct;
  std::string_view crop_mode;
  std::string_view models; // separated by blanks
};

constexpr PreprocessRow kPreprocessRows[] = {
#include "config/foreign/timm_preprocess.inc"
};

} // namespace

std::optional<TimmPreprocess> timm_preprocess(std::string_view model) {
  for (const PreprocessRow& row : kPreprocessRows) {
    const std::vector<std::string> models = split(row.models, ' ');
    if (std::ranges::find(models, model) == models.end()) {
      continue;
    }
    TimmPreprocess found;
    found.config.mean = row.mean;
    found.config.std = row.std;
    found.config.interpolation =
        value_of<Filter>(std::string(row.interpolation)).value();
    found.config.crop_mode =
        value_of<CropMode>(std::string(row.crop_mode)).value();
    found.crop_pct = row.crop_pct;
    if (row.size > 0) {
      found.image_size = row.size;
    }
    return found;
  }
  return std::nullopt;
}

} // namespace vitrain::config::foreign

#include "config/foreign/timm_defaults.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

struct DefaultsRow {
  double drop_path;
  std::int64_t outputs;
  std::string_view names; // separated by blanks
};

// Models and weights whose values differ from TimmDefaults{}.
constexpr DefaultsRow kDefaultsRows[] = {
#include "config/foreign/timm_defaults.inc"
};

struct PreprocessRow {
  std::int64_t size; // 0: the model's name contains it
  std::array<double, 3> mean;
  std::array<double, 3> std;
  std::string_view interpolation;
  double crop_pct;
  std::string_view crop_mode;
  std::string_view names; // separated by blanks
};

constexpr PreprocessRow kPreprocessRows[] = {
#include "config/foreign/timm_preprocess.inc"
};

// Returns the row with this name; null if there is none.
template <typename Row>
const Row* row_with(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) {
    const std::vector<std::string> names = split(row.names, ' ');
    return std::ranges::find(names, name) != names.end();
  });
  return found == rows.end() ? nullptr : &*found;
}

} // namespace

TimmDefaults timm_defaults(std::string_view name) {
  for (const auto& one : {name, name.substr(0, name.find('.'))}) {
    if (const auto* row = row_with<DefaultsRow>(kDefaultsRows, one)) {
      return {row->drop_path, row->outputs};
    }
  }
  return {};
}

std::optional<TimmPreprocess> timm_preprocess(std::string_view model) {
  const auto* row = row_with<PreprocessRow>(kPreprocessRows, model);
  if (row == nullptr) {
    return std::nullopt;
  }
  TimmPreprocess found;
  found.config.mean = row->mean;
  found.config.std = row->std;
  found.config.interpolation =
      value_of<Filter>(std::string(row->interpolation)).value();
  found.config.crop_mode =
      value_of<CropMode>(std::string(row->crop_mode)).value();
  found.crop_pct = row->crop_pct;
  if (row->size > 0) {
    found.image_size = row->size;
  }
  return found;
}

} // namespace vitrain::config::foreign

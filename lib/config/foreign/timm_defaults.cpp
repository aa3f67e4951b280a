#include "config/foreign/timm_defaults.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "config/foreign/published_weights.h"
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

std::optional<TimmPreprocess> timm_preprocess(const std::string& model) {
  const std::vector<PublishedWeights> all = published_weights(model);
  if (all.empty() || !all.front().is_default) {
    return std::nullopt;
  }
  const PublishedImages& images = *all.front().images;
  TimmPreprocess found;
  found.config.mean = images.mean;
  found.config.std = images.std;
  found.config.interpolation =
      value_of<Filter>(std::string(images.interpolation)).value();
  found.config.crop_mode =
      value_of<CropMode>(std::string(images.crop_mode)).value();
  found.crop_pct = images.crop_pct;
  const std::vector<std::string> parts = split(model, '_');
  if (std::ranges::find(parts, std::to_string(images.size)) == parts.end()) {
    found.image_size = images.size;
  }
  return found;
}

} // namespace vitrain::config::foreign

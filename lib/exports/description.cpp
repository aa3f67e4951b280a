#include "exports/description.h"

namespace vitrain::exports {
namespace {

// Returns the values of the colours, one per channel as in engine::Normalizer;
// for grey images, the three of the colours.
std::vector<double> of_channels(
    const std::array<double, 3>& colours,
    std::int64_t channels) {
  std::vector<double> values(
      static_cast<std::size_t>(channels == 1 ? 3 : channels));
  for (std::size_t c = 0; c < values.size(); ++c) {
    values[c] = colours[c % 3];
  }
  return values;
}

} // namespace

Json Description::to_json() const {
  Json json{{"model", spec.name}};
  if (spec.features > 0) {
    json["input_size"] = {spec.features};
  } else {
    json["input_size"] = {
        spec.channels, spec.image_size.height, spec.image_size.width};
    if (range) {
      json["range"] = *range;
    }
    json["mean"] = of_channels(mean, spec.channels);
    json["std"] = of_channels(std, spec.channels);
    json["interpolation"] = interpolation;
    json["crop_mode"] = crop_mode;
    json["crop_pct"] = crop_pct;
    if (resize) {
      json["resize"] = *resize;
    }
  }
  if (!classes.empty()) {
    json["classes"] = classes;
  }
  return json;
}

} // namespace vitrain::exports

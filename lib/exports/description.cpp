#include "exports/description.h"

namespace vitrain::exports {

Json Description::to_json() const {
  Json json{{"model", spec.name}};
  if (spec.features > 0) {
    json["input_size"] = {spec.features};
  } else {
    json["input_size"] = {
        spec.channels, spec.image_size.height, spec.image_size.width};
    json["mean"] = mean;
    json["std"] = std;
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

#include "core/json.h"

#include <cmath>

namespace vitrain {
namespace {

Json finite(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::isnan(number)) {
      return "nan";
    }
    if (std::isinf(number)) {
      return number > 0 ? "inf" : "-inf";
    }
    return value;
  }
  if (!value.is_structured()) {
    return value;
  }
  Json copy = value;
  for (auto& element : copy) {
    element = finite(element);
  }
  return copy;
}

} // namespace

std::string to_line(const Json& value) {
  return finite(value).dump(
      -1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

} // namespace vitrain

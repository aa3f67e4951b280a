#include "config/schema/field.h"

namespace vitrain::config {

std::string Rules::alternatives(
    std::string_view key,
    const std::vector<std::string>& names) {
  std::string text(key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? ": " : i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text;
}

std::string form_of(Field::Time time) {
  switch (time) {
    case Field::Time::kRequired:
      return "a time (3h50m, 30min or 90s)";
    case Field::Time::kAllowed:
      return "epochs, steps, a share of the run or a time (10ep, 500st, 0.1dur "
             "or 30min)";
    case Field::Time::kRefused:
      break;
  }
  return "epochs, steps or a share of the run (10ep, 500st or 0.1dur)";
}

} // namespace vitrain::config

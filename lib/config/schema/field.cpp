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

} // namespace vitrain::config

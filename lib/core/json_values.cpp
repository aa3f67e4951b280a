#include "core/json_values.h"

namespace vitrain {

std::optional<double> json_number(const Json& record, std::string_view key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number()
      ? std::optional(found->get<double>())
      : std::nullopt;
}

std::optional<std::int64_t> json_integer(
    const Json& record,
    std::string_view key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_integer()
      ? std::optional(found->get<std::int64_t>())
      : std::nullopt;
}

std::string json_text(const Json& record, std::string_view key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

} // namespace vitrain

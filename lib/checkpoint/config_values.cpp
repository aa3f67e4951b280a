#include "checkpoint/config_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace vitrain::checkpoint {

const Json* ConfigValues::find(const std::string& key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> ConfigValues::flag(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    refuse(key, "true or false");
    return std::nullopt;
  }
  return value->get<bool>();
}

std::optional<double> ConfigValues::number(const std::string& key, double most)
    const {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const double number = value->is_number() ? value->get<double>() : 0.0;
  if (!(number > 0.0 && number <= most)) {
    refuse(key, fmt::format("a number above 0, at most {}", shortest(most)));
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> ConfigValues::count(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  constexpr std::int64_t kMost = 1 << 20; // limit for model.num_classes
  const bool right =
      value->is_number_integer() && *value >= 0 && *value <= kMost;
  if (!right) {
    refuse(key, "a whole number from 0 to 1048576");
    return std::nullopt;
  }
  return value->get<std::int64_t>();
}

std::string ConfigValues::text(const std::string& key) const {
  const Json* value = find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>()
                                                : "";
}

std::optional<std::string> ConfigValues::word(
    const std::string& key,
    std::initializer_list<std::string_view> words) const {
  if (!has(key)) {
    return std::nullopt;
  }
  std::string value = text(key);
  if (std::ranges::find(words, value) == words.end()) {
    refuse(key, fmt::format("{}", fmt::join(words, ", ")));
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<double>> ConfigValues::colours(
    const std::string& key,
    bool positive) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  constexpr std::size_t kColours = 3;
  const Json list = value->is_number() ? Json::array({*value}) : *value;
  const bool right =
      list.is_array() && (list.size() == 1 || list.size() == kColours) &&
      std::ranges::all_of(list, [&](const Json& item) {
        return item.is_number() && std::isfinite(item.get<double>()) &&
            (!positive || item.get<double>() > 0.0);
      });
  if (!right) {
    refuse(key, positive ? "three numbers above 0" : "three numbers");
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < kColours; ++i) {
    numbers.push_back(list.at(list.size() == 1 ? 0 : i).get<double>());
  }
  return numbers;
}

std::vector<std::string> ConfigValues::texts(
    const std::string& key,
    std::int64_t count) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  const bool right =
      value->is_array() && (count == 0 || std::ssize(*value) == count) &&
      std::ranges::all_of(
          *value, [](const Json& item) { return item.is_string(); });
  if (!right) {
    refuse(
        key,
        count == 0 ? "a list of names"
                   : fmt::format("a list of {} names", with_commas(count)));
    return {};
  }
  return value->get<std::vector<std::string>>();
}

void ConfigValues::refuse(const std::string& key, std::string_view allowed)
    const {
  const Json* value = find(key);
  constexpr std::size_t kShown = 80;
  const std::string given =
      value == nullptr ? "" : to_line(*value).substr(0, kShown);
  notes_.push_back(fmt::format(
      "warning: {}: '{}' is not used: {}; allowed: {}",
      source_,
      printable(key),
      printable(given),
      allowed));
}

bool is_side(const Json& value) {
  constexpr std::int64_t kMost = 4096;
  return value.is_number_integer() && value >= 1 && value <= kMost;
}

} // namespace vitrain::checkpoint

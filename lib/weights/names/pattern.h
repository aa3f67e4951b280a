#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The names in a NameRule (convention.h), which says what their signs mean.
namespace vitrain::weights {

// Values captured by a pattern.
struct Captured {
  std::vector<std::int64_t> numbers;
  std::string_view word; // of the name
  int part = 0; // 1, 2, 3: query, key, value
};

std::optional<Captured> match(std::string_view pattern, std::string_view name);

// The name that `to` makes of it.
std::string fill_in(std::string_view to, const Captured& captured);

} // namespace vitrain::weights

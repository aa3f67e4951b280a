#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Matching of the patterns in NameRule, which are described in convention.h.
namespace vitrain::weights {

// Values captured by a pattern.
struct Captured {
  std::vector<std::int64_t> numbers;
  std::string_view word; // word matched by *
  int part = 0; // matched by @: 1, 2, 3 for query, key, value; otherwise 0
};

// Returns what `pattern` captures if it matches all of `name`; otherwise
// nullopt. Numbers above 1,000,000 do not match.
std::optional<Captured> match(std::string_view pattern, std::string_view name);

// Returns the name made from `to` and the captured values.
std::string fill_in(std::string_view to, const Captured& captured);

} // namespace vitrain::weights

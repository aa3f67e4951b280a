#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vitrain::config {

// The names that an enumeration of the recipe has in YAML, in the order of its
// enumerators (kAdamW is "adamw"). Defined for every enum class of the sections
// in names.cpp.
template <typename Enum>
std::span<const std::string_view> names_of();

// The name of one enumerator: name_of(Precision::kBf16) is "bf16".
template <typename Enum>
std::string name_of(Enum value) {
  return std::string(names_of<Enum>()[static_cast<std::size_t>(value)]);
}

} // namespace vitrain::config

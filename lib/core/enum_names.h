#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// An enumerator and its name in recipes, records and messages. The names of an
// enumeration are defined next to it, as a function in its namespace:
//
//   enum class Color { kRed, kDarkBlue };
//   constexpr auto names_of(Color) {
//     using enum Color;
//     return enum_names<Color>({{kRed, "red"}, {kDarkBlue, "dark_blue"}});
//   }
template <typename Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

template <typename Enum, std::size_t kCount>
constexpr std::array<EnumName<Enum>, kCount> enum_names(
    const EnumName<Enum> (&names)[kCount]) {
  return std::to_array(names);
}

// Returns the name of an enumerator: name_of(Color::kDarkBlue) is "dark_blue".
// Throws std::logic_error if names_of() lacks it.
template <typename Enum>
std::string name_of(Enum value) {
  static constexpr auto kNames = names_of(Enum{});
  const auto found = std::ranges::find(kNames, value, &EnumName<Enum>::value);
  if (found == kNames.end()) {
    throw std::logic_error("an enumerator has no name in names_of()");
  }
  return std::string(found->name);
}

// Returns the enumerator of a name; nullopt for an unknown name.
template <typename Enum>
std::optional<Enum> value_of(std::string_view name) {
  static constexpr auto kNames = names_of(Enum{});
  const auto found = std::ranges::find(kNames, name, &EnumName<Enum>::name);
  return found == kNames.end() ? std::nullopt : std::optional(found->value);
}

// Returns all names, in the order of names_of().
template <typename Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const EnumName<Enum>& one : names_of(Enum{})) {
    names.emplace_back(one.name);
  }
  return names;
}

} // namespace vitrain

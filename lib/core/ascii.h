#pragma once

#include <algorithm>
#include <string>

// ASCII letters and digits, independent of the process's locale.
namespace vitrain {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_letter(char c) {
  return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

inline std::string ascii_lower(std::string text) {
  std::ranges::transform(
      text, text.begin(), [](char c) { return ascii_lower(c); });
  return text;
}

} // namespace vitrain

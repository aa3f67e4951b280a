#include "logging/terminal_style.h"

#include <array>

#include <fmt/format.h>

namespace vitrain::logging {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

} // namespace

std::string
tinted(std::string_view text, Tint tint, const TerminalStyle& style) {
  if (!style.colour || text.empty()) {
    return std::string(text);
  }
  // In the order of Tint.
  constexpr std::array kCodes{"1", "36", "32", "33", "1;31", "2"};
  const char* code = kCodes.at(static_cast<std::size_t>(tint));
  return fmt::format("\x1b[{}m{}{}", code, text, kReset);
}

} // namespace vitrain::logging

#include "logging/terminal/terminal_style.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "core/text/text.h"

namespace vitrain::logging {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode's East Asian Width W and F, merged into blocks.
constexpr std::array<Range, 17> kWide{{
    {0x1100, 0x115F},
    {0x2E80, 0x303E},
    {0x3041, 0x33FF},
    {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},
    {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF},
    {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD},
}};
constexpr std::array<Range, 8> kZero{{
    {0x0300, 0x036F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},
    {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF},
}};

template <std::size_t kSize>
bool within(const std::array<Range, kSize>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

struct Glyph {
  std::size_t bytes;
  int columns;
};

// The character or escape sequence at the start of valid, non-empty UTF-8.
Glyph next_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (text.starts_with("\x1b[")) {
    // A sequence that is cut short or ended by a wrong byte takes no column.
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    const std::size_t bytes = std::min(end, text.size());
    return {bytes + (text.substr(bytes).starts_with('m') ? 1 : 0), 0};
  }
  if (lead < 0x80) {
    return {1, 1};
  }
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {bytes, within(kZero, code) ? 0 : within(kWide, code) ? 2 : 1};
}

struct Beginning {
  std::size_t bytes = 0;
  int columns = 0;
  bool coloured = false; // has escape sequences
};

// The longest beginning of valid UTF-8 that takes at most `columns`.
Beginning beginning_of(std::string_view text, int columns) {
  Beginning found;
  while (found.bytes < text.size()) {
    const std::string_view rest = text.substr(found.bytes);
    const Glyph glyph = next_glyph(rest);
    if (glyph.columns > columns - found.columns) {
      break;
    }
    found.coloured = found.coloured || rest.front() == '\x1b';
    found.columns += glyph.columns;
    found.bytes += glyph.bytes;
  }
  return found;
}

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

int display_width(std::string_view text) {
  return beginning_of(valid_utf8(text), std::numeric_limits<int>::max())
      .columns;
}

std::string clip(std::string_view text, int columns) {
  const std::string valid = valid_utf8(text);
  const Beginning kept = beginning_of(valid, columns);
  return valid.substr(0, kept.bytes) +
      std::string(kept.bytes < valid.size() && kept.coloured ? kReset : "");
}

} // namespace vitrain::logging

#pragma once

#include <string>
#include <string_view>

#include "core/columns.h"

namespace vitrain::logging {

// Capabilities of a text output. The default is for files.
struct TerminalStyle {
  bool colour = false; // use SGR escape sequences
  bool unicode = false; // use characters beyond ASCII in rules and bars
  int columns = 80; // width for wrapping and for the live line
};

// Colours by meaning; tinted() defines how each looks.
enum class Tint { kTitle, kLabel, kGood, kWarning, kError, kFaint };

// Returns `text` in the colour of `tint`; unchanged if style.colour is false.
std::string
tinted(std::string_view text, Tint tint, const TerminalStyle& style);

using vitrain::clip;
using vitrain::display_width;

// Returns the mark for the omitted part of a shortened text.
inline std::string_view ellipsis(const TerminalStyle& style) {
  return style.unicode ? "\u2026" : "...";
}

} // namespace vitrain::logging

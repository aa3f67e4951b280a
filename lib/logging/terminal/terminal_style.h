#pragma once

#include <string>
#include <string_view>

#include "core/text/columns.h"

namespace vitrain::logging {

// Capabilities of a text output. The default is for files.
struct TerminalStyle {
  bool colour = false; // SGR escape sequences
  bool unicode = false; // characters beyond ASCII in rules and bars
  int columns = 80; // width for wrapping and for the live line
};

// Colours by meaning, so that one table decides how each of them looks.
enum class Tint { kTitle, kLabel, kGood, kWarning, kError, kFaint };

// `text` in the colour of `tint`, or as it is where style.colour is false.
std::string
tinted(std::string_view text, Tint tint, const TerminalStyle& style);

using vitrain::clip;
using vitrain::display_width;

// What stands for the part of a text that was cut.
inline std::string_view ellipsis(const TerminalStyle& style) {
  return style.unicode ? "\u2026" : "...";
}

} // namespace vitrain::logging

#pragma once

#include <string>
#include <string_view>

namespace vitrain::logging {

// What a reader of text can show. The default is what a file gets.
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

// Columns that UTF-8 text takes on a terminal: 2 for wide characters (UAX #11
// classes W and F), 0 for combining marks and for SGR escape sequences.
int display_width(std::string_view text);

// The longest beginning of `text` that takes at most `columns`; escape
// sequences are kept and colours are reset when anything was cut.
std::string clip(std::string_view text, int columns);

} // namespace vitrain::logging

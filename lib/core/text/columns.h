#pragma once

#include <string>
#include <string_view>
#include <vector>

// Text in the columns of a terminal.
namespace vitrain {

// Columns that UTF-8 text takes on a terminal: 2 for wide characters (UAX #11
// classes W and F), 0 for combining marks and for SGR escape sequences.
int display_width(std::string_view text);

// The longest beginning of `text` that takes at most `columns`; escape
// sequences are kept and colours are reset when anything was cut.
std::string clip(std::string_view text, int columns);

// `text`; if it takes more than `columns`, its beginning and `mark` (an
// ellipsis), which take at most `columns`.
std::string shorten(std::string_view text, int columns, std::string_view mark);
// The same with `mark` in the middle: names of runs end with their time.
std::string
shorten_middle(std::string_view text, int columns, std::string_view mark);

// Divides a line into lines of at most `columns`, between words. A word that is
// longer than a line begins a new one and is broken after `/`, `,` and `=`
// alone; a part without these stays whole. The last line is no single short
// word where the line before it can spare one.
std::vector<std::string> wrap_words(const std::string& line, int columns);

// Wraps each line of a message that is wider than `columns`: further lines are
// indented by two more columns than their first one.
std::string wrap_message(std::string_view text, int columns);

} // namespace vitrain

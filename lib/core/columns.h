#pragma once

#include <string>
#include <string_view>
#include <vector>

// Layout of text in the columns of a terminal.
namespace vitrain {

// Returns the number of columns that UTF-8 text takes on a terminal: 2 for wide
// characters (UAX #11 classes W and F), 0 for combining marks, zero-width
// characters and SGR escape sequences (also incomplete ones), 1 for others.
// Here and below each invalid byte counts as U+FFFD; clip() replaces it too.
int display_width(std::string_view text);

// Returns the longest prefix of `text` that takes at most `columns`. If text
// after an escape sequence is cut, a sequence that resets colours is appended.
std::string clip(std::string_view text, int columns);

// Returns `text`; if it is wider than `columns`, a prefix of it followed by
// `mark` (an ellipsis), together at most `columns`, or only `mark` if that
// alone takes more.
std::string shorten(std::string_view text, int columns, std::string_view mark);
// Shortens as shorten(), but with `mark` in the middle, so that the time at the
// end of a run's name stays visible.
std::string
shorten_middle(std::string_view text, int columns, std::string_view mark);

// Breaks a line between words into lines of at most `columns`, at least one
// line, without blanks at the starts and ends of lines. A word that is longer
// than a line starts a new line and is broken only after `/`, `,` and `=`; a
// piece without these stays whole, even if longer than `columns`. If the last
// line is one word of at most a third of `columns`, the last word of the line
// before is moved to it, if possible.
std::vector<std::string> wrap_words(const std::string& line, int columns);

// Wraps each line of a message that is wider than `columns`. Continuation lines
// are indented by two more columns than the line they continue. Lines get at
// least 20 columns after their indentation, whatever `columns` is. Empty lines
// at the start are dropped.
std::string wrap_message(std::string_view text, int columns);

} // namespace vitrain

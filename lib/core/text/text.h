#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// Pieces between separators; "a,,b" gives three, "" gives one empty piece.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view glue);
// Without leading and trailing blanks, tabs, CR and LF.
std::string_view trim(std::string_view text);

// Returns the text without `prefix`; unchanged if it does not begin with it.
std::string without_prefix(std::string_view text, std::string_view prefix);

// Returns the text with `prefix` before every line; a last line without newline
// gets one. "" stays "".
std::string prefixed(std::string_view text, std::string_view prefix);

// Damerau-Levenshtein distance (adjacent transpositions count one).
int edit_distance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, or "" when none is near enough to be meant.
std::string nearest(
    std::string_view word,
    std::span<const std::string> candidates);
// " Did you mean 'x'?" or "".
std::string did_you_mean(
    std::string_view word,
    std::span<const std::string> candidates);

// Printable form of bytes from outside (paths, keys): control characters and
// invalid UTF-8 as \xHH, so that a hostile name cannot forge log lines; *** for
// the user information of URLs.
std::string printable(std::string_view bytes);
// Bytes with every invalid UTF-8 sequence replaced by U+FFFD, for JSON.
std::string valid_utf8(std::string_view bytes);

// 1234567 -> "1,234,567".
std::string with_commas(std::int64_t value);
// "1 worker", "1,234 workers": for nouns whose plural ends with an s.
std::string counted(std::int64_t count, std::string_view noun);
// Bytes as "512 B", "1.5 KiB", "2.0 GiB".
std::string human_bytes(double bytes);
// Seconds as "0:42", "12:05", "3:07:09", "2d 03:04".
std::string human_seconds(double seconds);
// Shortest decimal text that parses back to exactly the same double.
std::string shortest(double value);

// Locale-free parsers of the whole text; false when it is anything else.
bool parse_int(std::string_view text, std::int64_t& value);
bool parse_double(std::string_view text, double& value);

} // namespace vitrain

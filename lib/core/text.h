#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain {

// Splits a text at every separator: "a,,b" gives three parts, "" one empty
// part.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view glue);
// Returns the text without leading and trailing spaces, tabs, CR and LF.
std::string_view trim(std::string_view text);

// Returns the text without `prefix`; unchanged if it does not begin with it.
std::string without_prefix(std::string_view text, std::string_view prefix);

// Returns the text with `prefix` before every line; a last line without a
// newline gets a newline. "" stays "".
std::string prefixed(std::string_view text, std::string_view prefix);

// Returns the Damerau-Levenshtein distance in bytes (an adjacent transposition
// counts as one edit; restricted form, "optimal string alignment").
int edit_distance(std::string_view a, std::string_view b);
// Returns the candidate that the user may have meant by `word`: the one with
// the smallest edit_distance(), at most a third of the word's bytes (1 to 4). A
// candidate is never too far if the word, of at least two bytes, is its start
// or end, or begins with it or ends with `_` and it; of candidates at the same
// distance, such a one is preferred, then the first. "" if there is none, or if
// the word has more than 64 bytes.
std::string nearest(
    std::string_view word,
    std::span<const std::string> candidates);
// Returns " Did you mean 'x'?" for the nearest() candidate, or "" if none.
std::string did_you_mean(
    std::string_view word,
    std::span<const std::string> candidates);

// Returns the word, quoted for a POSIX shell if it is empty or contains
// characters other than ASCII letters, digits and _-+=./:,@%.
std::string shell_word(std::string_view word);

// Returns a printable form of untrusted bytes (paths, keys): ASCII control
// characters (newlines too) and invalid UTF-8 as \xHH, so that a hostile name
// cannot forge log lines, and *** in place of the user information of URLs.
std::string printable(std::string_view bytes);
// Returns the bytes with U+FFFD in place of each byte that is not part of valid
// UTF-8, for JSON.
std::string valid_utf8(std::string_view bytes);

// Returns the number with commas: 1234567 -> "1,234,567".
std::string with_commas(std::int64_t value);
// Returns a count and its noun, given in the singular: "1 worker", "1,234
// workers"; only for nouns whose plural adds an s.
std::string counted(std::int64_t count, std::string_view noun);
// Returns a size as "512 B", "1.5 KiB", "2.0 GiB", in units up to TiB.
std::string human_bytes(double bytes);
// Returns a duration, rounded to seconds, as "0:42", "12:05", "3:07:09",
// "2d 03:04" (days, hours, whole minutes); "-:--" if it is negative or not
// finite.
std::string human_seconds(double seconds);
// Returns the shortest decimal text that parses back to exactly the same
// double.
std::string shortest(double value);

// Parse the whole text as a decimal number, independent of the locale. Return
// false, with `value` unspecified, for any other text (also leading blanks or
// +) and if the type cannot hold the number. parse_double() accepts "inf" and
// "nan".
bool parse_int(std::string_view text, std::int64_t& value);
bool parse_double(std::string_view text, double& value);

} // namespace vitrain

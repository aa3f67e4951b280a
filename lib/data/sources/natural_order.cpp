#include "data/sources/natural_order.h"

#include <locale.h>
#include <wctype.h>

#include <cstddef>

#include "core/ascii.h"

namespace vitrain::data {
namespace {

// Converts any Unicode character to lower case, independent of the process's
// locale.
char32_t lower(char32_t c) {
  if (c < 0x80) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }
  static const locale_t locale =
      ::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  return locale == nullptr
      ? c
      : static_cast<char32_t>(::towlower_l(static_cast<wint_t>(c), locale));
}

// Returns the length of the UTF-8 sequence that `text` starts with; 0 if it is
// invalid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1
      : first >= 0xC2 && first < 0xE0     ? 2
      : first >= 0xE0 && first < 0xF0     ? 3
      : first >= 0xF0 && first < 0xF5     ? 4
                                          : 0;
  if (length < 2) {
    return length;
  }
  if (text.size() < length) {
    return 0;
  }
  // Overlong forms, surrogates and values beyond Unicode are invalid.
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  bool valid = byte(1) >= low && byte(1) <= high;
  for (std::size_t i = 2; i < length; ++i) {
    valid = valid && byte(i) >= 0x80 && byte(i) <= 0xBF;
  }
  return valid ? length : 0;
}

// Removes the leading digits of a text and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (!number.empty() && number.front() == '0') {
    number.remove_prefix(1);
  }
  return number;
}

// Compares two texts up to the next digit, without regard to case, and removes
// what it has compared. Returns a negative number, 0 or a positive number, like
// memcmp().
int compare_words(std::string_view& a, std::string_view& b) {
  while (true) {
    const bool a_ends = a.empty() || is_digit(a.front());
    const bool b_ends = b.empty() || is_digit(b.front());
    if (a_ends || b_ends) {
      return static_cast<int>(b_ends) - static_cast<int>(a_ends);
    }
    const char32_t left = lower(take_code_point(a));
    const char32_t right = lower(take_code_point(b));
    if (left != right) {
      return left < right ? -1 : 1;
    }
  }
}

int compare_numbers(std::string_view& a, std::string_view& b) {
  const std::string_view left = take_number(a);
  const std::string_view right = take_number(b);
  return left.size() != right.size() ? (left.size() < right.size() ? -1 : 1)
                                     : left.compare(right);
}

// Returns the length of the common prefix, without a number or code point at
// its end that may continue.
std::size_t equal_pieces(std::string_view a, std::string_view b) {
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) {
    ++same;
  }
  while (same > 0 &&
         (is_digit(a[same - 1]) ||
          static_cast<unsigned char>(a[same - 1]) >= 0x80)) {
    --same;
  }
  return same;
}

} // namespace

char32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(text);
  if (length < 2) {
    text.remove_prefix(1);
    return length == 1 ? first : 0xDC00u + first;
  }
  char32_t point = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(length);
  return point;
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::size_t same = equal_pieces(a, b);
  std::string_view left = a.substr(same);
  std::string_view right = b.substr(same);
  while (true) {
    if (const int order = compare_words(left, right); order != 0) {
      return order < 0;
    }
    // Each text now starts with a digit or is empty.
    if (left.empty() || right.empty()) {
      return left.empty() && right.empty() ? a < b : left.empty();
    }
    if (const int order = compare_numbers(left, right); order != 0) {
      return order < 0;
    }
  }
}

} // namespace vitrain::data

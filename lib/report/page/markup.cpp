#include "report/page/markup.h"

#include <algorithm>

#include "core/text/ascii.h"
#include "core/text/text.h"
#include "core/text/url.h"

namespace vitrain::report {
namespace {

bool is_plain(char c) {
  return is_letter(c) || is_digit(c) ||
      std::string_view("_./:=,@%+-").find(c) != std::string_view::npos;
}

} // namespace

std::string html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : valid_utf8(hide_user_info(text))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // HTML parsers replace NUL.
        out += c == '\0' ? ' ' : c;
    }
  }
  return out;
}

std::string script_json(const Json& value) {
  const std::string text = to_line(value);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    // In JSON these characters occur only in strings, where an escape is
    // equivalent.
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

} // namespace vitrain::report

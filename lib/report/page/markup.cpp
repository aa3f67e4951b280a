#include "report/page/markup.h"

#include <algorithm>

#include "core/ascii.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::report {
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

} // namespace vitrain::report

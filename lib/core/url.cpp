#include "core/url.h"

#include <algorithm>

#include "core/ascii.h"

namespace vitrain {
namespace {

// Returns the length of the user information, including its `@`, at the start
// of `rest`, the text after the scheme of a URL; 0 if there is none.
std::size_t user_info_length(std::string_view rest) {
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos) {
    return 0;
  }
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  if (at < end) {
    return at + 1;
  }
  // An `@` after the host belongs to the path, unless the text before it is no
  // host: in "user:a/b@host", the text after the colon is no port.
  const std::string_view host = rest.substr(0, end);
  if (rest.find('@') < end) {
    return host.rfind('@') + 1;
  }
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon =
      host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const bool has_port = colon == std::string_view::npos ||
      std::ranges::all_of(host.substr(colon + 1), is_digit);
  return has_port ? 0 : at + 1;
}

// Returns the position after the next scheme in the text; npos if there is
// none. Accepts a single slash after http and https, as in URLs that were
// normalised as paths.
std::size_t find_after_scheme(std::string_view text) {
  for (std::size_t at = text.find(":/"); at != std::string_view::npos;
       at = text.find(":/", at + 1)) {
    const std::string_view scheme = text.substr(0, at);
    if (text.substr(at).starts_with("://")) {
      return at + 3;
    }
    if (scheme.ends_with("http") || scheme.ends_with("https")) {
      return at + 2;
    }
  }
  return std::string_view::npos;
}

// Returns the text with `replacement` for the user information of each URL.
std::string with_user_info(
    std::string_view text,
    std::string_view replacement) {
  std::string result;
  for (std::size_t start = find_after_scheme(text);
       start != std::string_view::npos;
       start = find_after_scheme(text)) {
    result += text.substr(0, start);
    text.remove_prefix(start);
    const auto* const blank = std::ranges::find_if(text, [](char c) {
      return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
    });
    const std::size_t length = user_info_length(
        text.substr(0, static_cast<std::size_t>(blank - text.begin())));
    if (length > 0) {
      result += replacement;
      text.remove_prefix(length);
    }
  }
  return result.append(text);
}

} // namespace

bool has_user_info(std::string_view text) {
  return text.find('@') != std::string_view::npos &&
      remove_user_info(text) != text;
}

std::string hide_user_info(std::string_view text) {
  return with_user_info(text, "***@");
}

std::string remove_user_info(std::string_view text) {
  return with_user_info(text, "");
}

} // namespace vitrain

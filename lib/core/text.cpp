#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/url.h"

namespace vitrain {
namespace {

// Returns the length of the valid UTF-8 sequence at the start of `s`; 0 if it
// is invalid.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(s[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  std::size_t length = 0;
  std::uint32_t code = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code = lead & 0x1F;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3;
    code = lead & 0x0F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code = lead & 0x07;
  } else {
    return 0;
  }
  if (s.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const bool overlong =
      (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

// Returns the text with `replacement(byte)` for each byte that is not part of
// valid UTF-8, and if `controls` for each control character.
template <typename Replacement>
std::string with_replaced(
    std::string_view bytes,
    bool controls,
    const Replacement& replacement) {
  std::string text;
  while (!bytes.empty()) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    const bool control = byte < 0x20 || byte == 0x7F;
    std::size_t length = utf8_length(bytes);
    if (length == 0 || (controls && control)) {
      text += replacement(byte);
      length = 1;
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length);
  }
  return text;
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc{} && end == last && !text.empty();
}

} // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    if (end == std::string_view::npos) {
      parts.emplace_back(text.substr(start));
      return parts;
    }
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view glue) {
  return fmt::format("{}", fmt::join(parts, glue));
}

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string without_prefix(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
  }
  return std::string(text);
}

std::string prefixed(std::string_view text, std::string_view prefix) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    result += prefix;
    result += text.substr(0, length);
    result += '\n';
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return result;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> cost(
      a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min(
          {cost[i - 1][j] + 1,
           cost[i][j - 1] + 1,
           cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest(
    std::string_view word,
    std::span<const std::string> candidates) {
  constexpr std::size_t kLongestWord = 64;
  std::string best;
  if (word.size() > kLongestWord) {
    return best;
  }
  // Allows a third of the letters to be wrong, at least one and at most four. A
  // candidate that extends the word, or is extended by it, is also near.
  const int most = std::clamp(static_cast<int>(word.size()) / 3, 1, 4);
  int limit = most + 1;
  bool best_extends = false; // preferred among candidates of one distance
  for (const std::string& candidate : candidates) {
    int distance = edit_distance(word, candidate);
    const bool extends = word.size() >= 2 && !candidate.empty() &&
        (candidate.starts_with(word) || word.starts_with(candidate) ||
         candidate.ends_with(word) || word.ends_with("_" + candidate));
    if (extends) {
      distance = std::min(distance, most);
    }
    if (distance < limit || (distance == limit && extends && !best_extends)) {
      limit = distance;
      best = candidate;
      best_extends = extends;
    }
  }
  return best;
}

std::string did_you_mean(
    std::string_view word,
    std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format(" Did you mean '{}'?", best);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string printable(std::string_view bytes) {
  return with_replaced(
      hide_user_info(bytes), /*controls=*/true, [](unsigned char byte) {
        return fmt::format("\\x{:02x}", byte);
      });
}

std::string valid_utf8(std::string_view bytes) {
  return with_replaced(
      bytes, /*controls=*/false, [](unsigned char) { return "\xEF\xBF\xBD"; });
}

std::string with_commas(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::ptrdiff_t first = value < 0 ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format(
      "{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string human_bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return "-:--";
  }
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minutes = total / 60 % 60;
  const std::int64_t hours = total / 3600 % 24;
  if (total >= 86400) {
    return fmt::format("{}d {:02}:{:02}", total / 86400, hours, minutes);
  }
  if (total >= 3600) {
    return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  }
  return fmt::format("{}:{:02}", minutes, total % 60);
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

bool parse_int(std::string_view text, std::int64_t& value) {
  return parse_whole(text, value);
}

bool parse_double(std::string_view text, double& value) {
  return parse_whole(text, value);
}

} // namespace vitrain

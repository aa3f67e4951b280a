#include "weights/names/pattern.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace vitrain::weights {
namespace {

// Larger numbers do not match. No network has that many blocks, and NameRule's
// arithmetic cannot overflow.
constexpr std::int64_t kLargest = 1'000'000;

// Query, key and value as words and as letters ("q_proj"). Words come first, so
// that "query" is not matched as "q".
constexpr std::array<std::string_view, 6>
    kParts{"query", "key", "value", "q", "k", "v"};

// Applies an arithmetic sign of NameRule::to to a number; nullopt if the
// character is not one.
std::optional<std::int64_t> counted(char sign, std::int64_t number) {
  switch (sign) {
    case '#':
      return number;
    case '+':
      return number + 1;
    case '-':
      return number - 1;
    case '~':
      return number - 3;
    case '%':
      return number / 2;
    case '<':
      return 2 * number;
    case '>':
      return 2 * number + 1;
    default:
      return std::nullopt;
  }
}

} // namespace

std::optional<Captured> match(std::string_view pattern, std::string_view name) {
  Captured captured;
  while (!pattern.empty()) {
    const char next = pattern.front();
    pattern.remove_prefix(1);
    if (next == '#') {
      std::int64_t number = 0;
      const auto [end, error] =
          std::from_chars(name.data(), name.data() + name.size(), number);
      if (error != std::errc() || number < 0 || number > kLargest ||
          name.front() == '-') {
        return std::nullopt;
      }
      name.remove_prefix(static_cast<std::size_t>(end - name.data()));
      captured.numbers.push_back(number);
    } else if (next == '@') {
      const auto part = std::ranges::find_if(
          kParts,
          [&](std::string_view word) { return name.starts_with(word); });
      if (part == kParts.end()) {
        return std::nullopt;
      }
      name.remove_prefix(part->size());
      captured.part = 1 + static_cast<int>(part - kParts.begin()) % 3;
    } else if (next == '*') {
      if (name.empty() || name.find_first_of("./") != name.npos) {
        return std::nullopt;
      }
      captured.word = name;
      name = {};
    } else {
      if (!name.starts_with(next)) {
        return std::nullopt;
      }
      name.remove_prefix(1);
    }
  }
  return name.empty() ? std::optional(captured) : std::nullopt;
}

std::string fill_in(std::string_view to, const Captured& captured) {
  std::string name;
  std::size_t next = 0;
  for (const char c : to) {
    if (counted(c, 0)) {
      name += std::to_string(*counted(c, captured.numbers.at(next++)));
    } else if (c == '!') {
      ++next;
    } else if (c == '*') {
      name += captured.word;
    } else {
      name += c;
    }
  }
  return name;
}

} // namespace vitrain::weights

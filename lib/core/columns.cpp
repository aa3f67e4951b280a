#include "core/columns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/text.h"

namespace vitrain {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr int kContinuation = 2; // additional indentation of continuation lines
constexpr int kNarrowestMessage = 20;

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode's East Asian Width classes W and F, merged into blocks.
constexpr std::array<Range, 17> kWide{{
    {0x1100, 0x115F},
    {0x2E80, 0x303E},
    {0x3041, 0x33FF},
    {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},
    {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF},
    {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD},
}};
constexpr std::array<Range, 8> kZero{{
    {0x0300, 0x036F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},
    {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF},
}};

template <std::size_t kSize>
bool within(const std::array<Range, kSize>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

struct Glyph {
  std::size_t bytes;
  int columns;
};

// Returns the character or escape sequence at the start of valid, non-empty
// UTF-8.
Glyph next_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (text.starts_with("\x1b[")) {
    // An escape sequence that is incomplete or ends with a wrong byte takes no
    // column.
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    const std::size_t bytes = std::min(end, text.size());
    return {bytes + (text.substr(bytes).starts_with('m') ? 1 : 0), 0};
  }
  if (lead < 0x80) {
    return {1, 1};
  }
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {bytes, within(kZero, code) ? 0 : within(kWide, code) ? 2 : 1};
}

struct Beginning {
  std::size_t bytes = 0;
  int columns = 0;
  bool coloured = false; // the text has escape sequences
};

// Returns the longest prefix of valid UTF-8 that takes at most `columns`.
Beginning beginning_of(std::string_view text, int columns) {
  Beginning found;
  while (found.bytes < text.size()) {
    const std::string_view rest = text.substr(found.bytes);
    const Glyph glyph = next_glyph(rest);
    if (glyph.columns > columns - found.columns) {
      break;
    }
    found.coloured = found.coloured || rest.front() == '\x1b';
    found.columns += glyph.columns;
    found.bytes += glyph.bytes;
  }
  return found;
}

// Breaks a path or another long word after separators, into pieces of at most
// `columns`; a part without separators that is longer stays whole.
std::vector<std::string> pieces_of(const std::string& word, int columns) {
  constexpr std::string_view kSeparators = "/,=";
  std::vector<std::string> pieces(1);
  std::string part;
  const auto add = [&] {
    if (!pieces.back().empty() &&
        display_width(pieces.back()) + display_width(part) > columns) {
      pieces.emplace_back();
    }
    pieces.back() += part;
    part.clear();
  };
  for (const char c : word) {
    part += c;
    if (kSeparators.find(c) != std::string_view::npos) {
      add();
    }
  }
  add();
  return pieces;
}

std::string without_blanks_at_end(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// If the last line is one short word, moves the last word of the line before it
// there. Does not move words of a path that was broken.
void join_orphan(std::vector<std::string>& lines, int columns) {
  if (lines.size() < 2) {
    return;
  }
  std::string& last = lines.back();
  std::string& before = lines[lines.size() - 2];
  const std::size_t blank = before.rfind(' ');
  if (blank == std::string::npos || last.find(' ') != std::string::npos ||
      display_width(last) > columns / 3) {
    return;
  }
  const std::string moved = before.substr(blank + 1);
  const std::string kept = without_blanks_at_end(before.substr(0, blank));
  if (kept.find(' ') != std::string::npos &&
      display_width(moved) + 1 + display_width(last) <= columns) {
    last = moved + " " + last;
    before = kept;
  }
}

} // namespace

int display_width(std::string_view text) {
  return beginning_of(valid_utf8(text), std::numeric_limits<int>::max())
      .columns;
}

std::string clip(std::string_view text, int columns) {
  const std::string valid = valid_utf8(text);
  const Beginning kept = beginning_of(valid, columns);
  return valid.substr(0, kept.bytes) +
      std::string(kept.bytes < valid.size() && kept.coloured ? kReset : "");
}

std::string shorten(std::string_view text, int columns, std::string_view mark) {
  if (display_width(text) <= columns) {
    return std::string(text);
  }
  return clip(text, std::max(0, columns - display_width(mark))) +
      std::string(mark);
}

std::string
shorten_middle(std::string_view text, int columns, std::string_view mark) {
  if (display_width(text) <= columns) {
    return std::string(text);
  }
  const int room = std::max(0, columns - display_width(mark));
  const int end = room / 2;
  std::string tail = valid_utf8(text);
  while (display_width(tail) > end) {
    const std::size_t first = clip(tail, 1).size();
    tail.erase(0, first > 0 ? first : clip(tail, 2).size());
  }
  return clip(text, room - end) + std::string(mark) + tail;
}

std::vector<std::string> wrap_words(const std::string& line, int columns) {
  std::vector<std::string> lines(1);
  int used = 0;
  for (const std::string& word : split(line, ' ')) {
    const int width = display_width(word);
    const bool first = lines.back().empty();
    if (!first && used + 1 + width > columns) {
      lines.emplace_back();
      used = 0;
    }
    const bool blank = !lines.back().empty();
    lines.back() += blank ? " " : "";
    used += width + (blank ? 1 : 0);
    const std::vector<std::string> pieces = pieces_of(word, columns);
    lines.back() += pieces.front();
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      lines.push_back(pieces[i]);
      used = display_width(pieces[i]);
    }
  }
  for (std::string& one : lines) {
    one = without_blanks_at_end(one);
  }
  join_orphan(lines, columns);
  return lines;
}

std::string wrap_message(std::string_view text, int columns) {
  std::string out;
  const bool ends = text.ends_with('\n');
  for (const std::string& line :
       split(ends ? text.substr(0, text.size() - 1) : text, '\n')) {
    out += out.empty() ? "" : "\n";
    if (display_width(line) <= columns) {
      out += line;
      continue;
    }
    const std::size_t indent =
        std::min(line.find_first_not_of(' '), line.size());
    const std::string blanks(indent, ' ');
    const int room = std::max(
        kNarrowestMessage, columns - static_cast<int>(indent) - kContinuation);
    bool first = true;
    for (const std::string& piece : wrap_words(line.substr(indent), room)) {
      out += first ? blanks : "\n" + blanks + std::string(kContinuation, ' ');
      out += piece;
      first = false;
    }
  }
  return ends ? out + "\n" : out;
}

} // namespace vitrain

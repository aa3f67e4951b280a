#include "data/sources/letters.h"

#include <cstddef>

namespace vitrain::data {
namespace {

constexpr std::array<Letter, 191> kLetters{{
#include "data/sources/letters.inc"
}};
constexpr Letter kFrame{0x7F, 0x41, 0x41, 0x41, 0x41, 0x41, 0x7F, 0x00};

const Letter& letter(std::uint32_t code) {
  if (code >= 0x20 && code <= 0x7E) {
    return kLetters[code - 0x20];
  }
  constexpr std::size_t kAscii = 0x7F - 0x20;
  return code >= 0xA0 && code <= 0xFF ? kLetters[kAscii + code - 0xA0] : kFrame;
}

// Bytes of a character by its first one; 1 for what begins none.
std::size_t length_of(unsigned char first) {
  return first >= 0xF0 && first < 0xF8 ? 4
      : first >= 0xE0                  ? (first < 0xF0 ? 3 : 1)
      : first >= 0xC0                  ? 2
                                       : 1;
}

} // namespace

std::vector<const Letter*> letters_of(std::string_view text) {
  std::vector<const Letter*> letters;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    std::size_t length = length_of(first);
    std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      const bool goes_on = i < text.size() &&
          (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
      if (!goes_on) {
        length = 1;
        code = first;
      } else {
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
      }
    }
    // A lone byte above ASCII is no character, though it is a number of one.
    letters.push_back(length == 1 && first >= 0x80 ? &kFrame : &letter(code));
    text.remove_prefix(length);
  }
  return letters;
}

} // namespace vitrain::data

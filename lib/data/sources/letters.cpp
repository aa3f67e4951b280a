#include "data/sources/letters.h"

#include <cstddef>

#include "data/sources/natural_order.h"

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

} // namespace

std::vector<const Letter*> letters_of(std::string_view text) {
  std::vector<const Letter*> letters;
  while (!text.empty()) {
    letters.push_back(&letter(take_code_point(text)));
  }
  return letters;
}

} // namespace vitrain::data

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vitrain::data {

// Side of a letter in pixels, with the gap to the next one.
inline constexpr int kLetter = 8;

// A byte per row from the top; the lowest bit is the left pixel.
using Letter = std::array<std::uint8_t, kLetter>;

// The letters of a text in UTF-8: those of Latin-1, a frame for any other and
// for each byte that is no UTF-8.
std::vector<const Letter*> letters_of(std::string_view text);

} // namespace vitrain::data

#pragma once

#include <cstdint>
#include <span>

namespace vitrain::pictures {

// Returns the font file of DejaVu Sans (fonts-dejavu-core), which is compiled
// into the program, as its licence permits.
std::span<const std::uint8_t> font_file();

} // namespace vitrain::pictures

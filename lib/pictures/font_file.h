#pragma once

#include <cstdint>
#include <span>

namespace vitrain::pictures {

// The bytes of DejaVu Sans (fonts-dejavu-core, whose licence lets it be part of
// programs).
std::span<const std::uint8_t> font_file();

} // namespace vitrain::pictures

#pragma once

#include <cstdint>

namespace vitrain::pictures {

// The bytes of DejaVu Sans (fonts-dejavu-core, whose licence lets it be part of
// programs).
const std::uint8_t* font_file();

} // namespace vitrain::pictures

#pragma once

#include <cstdint>
#include <span>

namespace vitrain::image {

// Converts RGB pixels of three bytes to one byte of luma (ITU-R 601), rounded
// as Pillow's convert("L"); grey pixels keep their value. Requires rgb.size()
// == 3 * grey.size().
void to_grey(std::span<const std::uint8_t> rgb, std::span<std::uint8_t> grey);

} // namespace vitrain::image

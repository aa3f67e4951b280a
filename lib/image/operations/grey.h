#pragma once

#include <cstdint>
#include <span>

namespace vitrain::image {

// RGB pixels, three bytes each, to one byte of luma (ITU-R 601) each, with the
// rounding of Pillow's convert("L"); grey pixels keep their value. `grey` holds
// a third of the bytes of `rgb`.
void to_grey(std::span<const std::uint8_t> rgb, std::span<std::uint8_t> grey);

} // namespace vitrain::image

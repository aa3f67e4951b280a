#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "image/image.h"

namespace vitrain::image {

// A PNG file of an image's pixels, whose text says that this program has drawn
// it. Throws Error(kInternal) when libpng cannot.
std::string encode_png(const Image& image);

// The same with a description of the picture in UTF-8 for programs, in a chunk
// (iTXt) that viewers pass over; "" leaves it out.
std::string encode_png(const Image& image, std::string_view description);

// The description of a PNG file; "" for a file without one, or a damaged chunk.
std::string png_description(std::string_view file);

// Returns true if a file with these first bytes (kPngStart of them, or the
// whole file) was written by encode_png().
inline constexpr std::size_t kPngStart = 61;
bool is_drawn_png(std::string_view start);

} // namespace vitrain::image

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "image/image.h"

namespace vitrain::image {

// Returns a PNG file of the image. A text chunk names this program as its
// creator. Throws Error(kInternal) if libpng fails.
std::string encode_png(const Image& image);

// Returns a PNG that also has a machine-readable description in UTF-8, in an
// iTXt chunk that viewers ignore; "": no description.
std::string encode_png(const Image& image, std::string_view description);

// Returns the description in a PNG file; "" if there is none or the chunk is
// damaged.
std::string png_description(std::string_view file);

// Number of bytes at the start of a file that is_drawn_png() needs.
inline constexpr std::size_t kPngStart = 61;
// Returns true if a file was written by encode_png(). `start`: its first
// kPngStart bytes or more.
bool is_drawn_png(std::string_view start);

} // namespace vitrain::image

#pragma once

#include <string>

#include "image/image.h"

namespace vitrain::image {

// A PNG file of an image's pixels. Throws Error(kInternal) when libpng cannot.
std::string encode_png(const Image& image);

} // namespace vitrain::image

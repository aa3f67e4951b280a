#pragma once

#include <string>

#include "image/image.h"

namespace vitrain::image {

// Returns a JPEG file of the image, for pages that people look at. `quality`: 1
// to 100, as in libjpeg. Throws Error(kInternal) if libjpeg fails.
std::string encode_jpeg(const Image& image, int quality);

} // namespace vitrain::image

#pragma once

#include <string>

#include "image/image.h"

namespace vitrain::image {

// A JPEG file of an image's pixels, for pages that people look at. `quality`: 1
// to 100, as libjpeg has it. Throws Error(kInternal) if libjpeg cannot write
// it.
std::string encode_jpeg(const Image& image, int quality);

} // namespace vitrain::image

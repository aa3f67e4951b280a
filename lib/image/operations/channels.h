#pragma once

#include <cstdint>
#include <span>

#include "image/image.h"
#include "options/channels.h"

// Images with any number of channels. Resizing, cropping and flipping work on
// pictures of three channels, so an image of C channels is stored as ceil(C /
// 3) pictures: channels 0 to 2, 3 to 5 and so on, padded with 0.
namespace vitrain::image {

inline int pictures_of(int channels) {
  return (channels + 2) / 3;
}

// Copies pixels [count, channels] into the pictures, which have equal size,
// starting at pixel `first`.
void split_channels(
    std::span<const std::uint8_t> pixels,
    int channels,
    std::span<Image> pictures,
    std::size_t first);

// Inverse of split_channels(): `pictures` is [pictures, n, 3], `out` is [n,
// channels].
void join_channels(
    std::span<const std::uint8_t> pictures,
    int channels,
    std::span<std::uint8_t> out);

// Returns a viewable RGB image of pixels [height, width, channels]: with one or
// two channels the first one as grey, with more the first three as red, green
// and blue.
Image in_colours(
    std::span<const std::uint8_t> pixels,
    int width,
    int height,
    int channels);

} // namespace vitrain::image

#pragma once

#include <cstdint>
#include <span>

#include "image/decode.h"

// One decoder per format, for decode() only.
namespace vitrain::image::detail {

Image decode_jpeg(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options);

Image decode_png(
    std::span<const std::uint8_t> bytes,
    const DecodeOptions& options);

// Throws Error(kData) when the claimed size is empty or over the limit.
void check_size(
    std::int64_t width,
    std::int64_t height,
    const DecodeOptions& options);

} // namespace vitrain::image::detail

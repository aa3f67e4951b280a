#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "image/formats/tiff_file.h"

namespace vitrain::image::detail {

// Returns the limit in bytes of a single allocation of libtiff: enough for
// directories and for the largest strip of an image of the allowed size with
// `bytes_per_pixel` (default: six samples of 16 bits).
std::int64_t most_tiff_memory(
    const DecodeOptions& options,
    std::int64_t bytes_per_pixel = 12);

// A horizontal run of pixels in one row of an image.
struct SampleRow {
  std::int64_t x = 0; // coordinates of its first pixel
  std::int64_t y = 0;
  int pixels = 0;
  // Samples: one pointer to interleaved samples, or one pointer per sample
  // plane, as in the file.
  std::vector<const std::uint8_t*> planes;
};

// Returns the number of rows in a strip (at most the image's height) or in a
// tile. Throws Error(kData) if that is 0.
std::int64_t rows_at_once(const TiffFile& file);

// Calls `take` with runs of pixels that cover the image exactly once, for files
// with strips or tiles. Throws Error(kData) for a damaged file.
void read_rows(
    const TiffFile& file,
    const std::function<void(const SampleRow&)>& take);

} // namespace vitrain::image::detail

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "image/formats/tiff_file.h"

namespace vitrain::image::detail {

// Limit of a single allocation of libtiff: enough for the largest strip of an
// image of the allowed size with `bytes_per_pixel` (default: six samples of 16
// bits), and for directories.
std::int64_t most_tiff_memory(
    const DecodeOptions& options,
    std::int64_t bytes_per_pixel = 12);

// Part of a row of an image.
struct SampleRow {
  std::int64_t x = 0; // of its first pixel
  std::int64_t y = 0;
  int pixels = 0;
  // One interleaved row, or one row per sample, as in the file.
  std::vector<const std::uint8_t*> planes;
};

// Returns the rows of a strip, at most the image's, or of a tile.
std::int64_t rows_at_once(const TiffFile& file);

// Calls `take` with parts of rows that cover the image once, for strips and
// tiles. Throws Error(kData) for a damaged file.
void read_rows(
    const TiffFile& file,
    const std::function<void(const SampleRow&)>& take);

} // namespace vitrain::image::detail

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "image/formats/tiff_file.h"

namespace vitrain::image::detail {

// What libtiff may allocate at once: enough for the largest strip of an image
// of the size that is allowed, with so many bytes a pixel (six samples of 16
// bits), and for directories.
std::int64_t most_tiff_memory(
    const DecodeOptions& options,
    std::int64_t bytes_per_pixel = 12);

// Part of a row of an image.
struct SampleRow {
  std::int64_t x = 0; // of its first pixel
  std::int64_t y = 0;
  int pixels = 0;
  // All samples of a pixel behind those of the one before, or a row for each
  // sample; as the file has them.
  std::vector<const std::uint8_t*> planes;
};

// Rows of a strip, at most those of the image, or of a tile.
std::int64_t rows_at_once(const TiffFile& file);

// Calls `take` with parts of rows that cover the image once, whether the file
// has strips or tiles. Throws Error(kData) where it is damaged.
void read_rows(
    const TiffFile& file,
    const std::function<void(const SampleRow&)>& take);

} // namespace vitrain::image::detail

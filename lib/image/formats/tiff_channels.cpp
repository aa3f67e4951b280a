#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "image/formats/exif.h"
#include "image/formats/formats.h"
#include "image/formats/tiff_file.h"
#include "image/formats/tiff_rows.h"
#include "image/operations/channels.h"

// Images with any number of channels, such as from satellites and microscopes.
namespace vitrain::image::detail {
namespace {

// Interleaves the samples of separate planes.
void interleave(
    const SampleRow& row,
    std::size_t channels,
    std::vector<std::uint8_t>& pixels) {
  pixels.resize(static_cast<std::size_t>(row.pixels) * channels);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t x = 0; x < pixels.size() / channels; ++x) {
      pixels[x * channels + c] = row.planes[c][x];
    }
  }
}

} // namespace

Size tiff_channels_size(Bytes bytes) {
  return TiffFile(bytes, most_tiff_memory({})).shown_size();
}

std::vector<Image>
decode_tiff_channels(Bytes bytes, int channels, const DecodeOptions& options) {
  const auto all = static_cast<std::size_t>(channels);
  TiffFile file(bytes, most_tiff_memory(options, std::max(12, 2 * channels)));
  const TiffFile::Layout& of = file.layout();
  check_channels(of, channels);
  check_size(of.size, options);
  check_plausible(of, bytes.size());
  file.start_pixels();
  std::vector<Image> pictures = blank_pictures(of.size, channels);
  std::vector<std::uint8_t> pixels;
  read_rows(file, [&](const SampleRow& row) {
    const auto first = static_cast<std::size_t>(row.y * of.size.width + row.x);
    if (of.planes) {
      interleave(row, all, pixels);
      split_channels(pixels, channels, pictures, first);
    } else {
      const auto count = static_cast<std::size_t>(row.pixels);
      split_channels({row.planes[0], count * all}, channels, pictures, first);
    }
  });
  for (Image& picture : pictures) {
    picture = oriented(std::move(picture), of.orientation);
  }
  pictures.front().warnings = file.warnings();
  return pictures;
}

} // namespace vitrain::image::detail

#include "image/formats/tiff_rows.h"

#include <algorithm>

#include "core/check.h"

namespace vitrain::image::detail {
namespace {

using Layout = TiffFile::Layout;

// Strips or tiles: rectangles of a grid that covers the image.
struct Blocks {
  std::int64_t width = 0;
  std::int64_t height = 0;
  tmsize_t row_bytes = 0;
  tmsize_t bytes = 0; // size of one complete block of one plane
  bool tiled = false;
};

Blocks blocks_of(const TiffFile& file) {
  TIFF* tiff = file.get();
  const Size& size = file.layout().size;
  Blocks blocks;
  blocks.tiled = TIFFIsTiled(tiff) != 0;
  blocks.height = rows_at_once(file);
  if (blocks.tiled) {
    std::uint32_t width = 0;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
    blocks.width = width;
    blocks.row_bytes = TIFFTileRowSize(tiff);
    blocks.bytes = TIFFTileSize(tiff);
  } else {
    blocks.width = size.width;
    blocks.row_bytes = TIFFScanlineSize(tiff);
    blocks.bytes =
        TIFFVStripSize(tiff, static_cast<std::uint32_t>(blocks.height));
  }
  const Layout& of = file.layout();
  const std::int64_t samples = of.planes ? 1 : of.samples;
  VITRAIN_CHECK_DATA(
      blocks.width > 0 && blocks.bytes > 0 &&
          blocks.row_bytes >= (blocks.width * of.bits * samples + 7) / 8 &&
          blocks.bytes >= blocks.row_bytes * blocks.height,
      "damaged TIFF: its strips or tiles do not fit its samples");
  // A tile may extend beyond the image, but must not need much more memory than
  // it.
  constexpr std::int64_t kSmall = std::int64_t{16} << 20;
  const std::int64_t pixel = std::max<std::int64_t>(12, samples * of.bits / 8);
  const std::int64_t planes = of.planes ? of.samples : 1;
  VITRAIN_CHECK_DATA(
      blocks.bytes <= kSmall + size.width * size.height * pixel &&
          planes * blocks.bytes <= 6 * kSmall +
                  size.width * size.height *
                      std::max<std::int64_t>(72, planes * of.bits / 8),
      "damaged TIFF: tiles of {} x {} pixels for {} x {}",
      blocks.width,
      blocks.height,
      size.width,
      size.height);
  return blocks;
}

// Reads the samples of one block of one plane. Throws Error(kData) if a tile is
// incomplete, or if a strip has fewer than `rows` rows.
void read_block(
    const TiffFile& file,
    const Blocks& blocks,
    std::int64_t x,
    std::int64_t y,
    int plane,
    std::int64_t rows,
    std::vector<std::uint8_t>& into) {
  TIFF* tiff = file.get();
  const auto sample = static_cast<std::uint16_t>(plane);
  const auto at_x = static_cast<std::uint32_t>(x);
  const auto at_y = static_cast<std::uint32_t>(y);
  const tmsize_t wanted = blocks.tiled ? blocks.bytes : rows * blocks.row_bytes;
  const tmsize_t got = blocks.tiled
      ? TIFFReadEncodedTile(
            tiff,
            TIFFComputeTile(tiff, at_x, at_y, 0, sample),
            into.data(),
            blocks.bytes)
      : TIFFReadEncodedStrip(
            tiff, TIFFComputeStrip(tiff, at_y, sample), into.data(), wanted);
  if (got < wanted) {
    file.fail_with_message();
  }
}

} // namespace

std::int64_t most_tiff_memory(
    const DecodeOptions& options,
    std::int64_t bytes_per_pixel) {
  return std::min(options.max_pixels, std::int64_t{1} << 40) * bytes_per_pixel +
      (1 << 20);
}

std::int64_t rows_at_once(const TiffFile& file) {
  const bool tiled = TIFFIsTiled(file.get()) != 0;
  std::uint32_t rows = 0;
  TIFFGetFieldDefaulted(
      file.get(), tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
  VITRAIN_CHECK_DATA(rows > 0, "damaged TIFF: strips or tiles without rows");
  return tiled ? rows : std::min<std::int64_t>(rows, file.layout().size.height);
}

void read_rows(
    const TiffFile& file,
    const std::function<void(const SampleRow&)>& take) {
  const Layout& of = file.layout();
  const Blocks blocks = blocks_of(file);
  const int planes = of.planes ? of.samples : 1;
  std::vector<std::vector<std::uint8_t>> buffers(
      static_cast<std::size_t>(planes),
      std::vector<std::uint8_t>(static_cast<std::size_t>(blocks.bytes)));
  SampleRow row;
  row.planes.resize(buffers.size());
  for (std::int64_t y = 0; y < of.size.height; y += blocks.height) {
    const std::int64_t height = std::min(blocks.height, of.size.height - y);
    for (std::int64_t x = 0; x < of.size.width; x += blocks.width) {
      row.x = x;
      row.pixels = static_cast<int>(std::min(blocks.width, of.size.width - x));
      for (int plane = 0; plane < planes; ++plane) {
        read_block(
            file,
            blocks,
            x,
            y,
            plane,
            height,
            buffers[static_cast<std::size_t>(plane)]);
      }
      for (std::int64_t i = 0; i < height; ++i) {
        row.y = y + i;
        for (std::size_t plane = 0; plane < buffers.size(); ++plane) {
          row.planes[plane] = buffers[plane].data() + i * blocks.row_bytes;
        }
        take(row);
      }
    }
  }
}

} // namespace vitrain::image::detail

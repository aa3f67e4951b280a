#pragma once

#include <tiffio.h>

#include <array>
#include <cstdint>

#include "image/formats/formats.h"

namespace vitrain::image::detail {

// The first image of a TIFF file, opened with libtiff on bytes in memory.
class TiffFile {
 public:
  // Layout of the samples according to the directory.
  struct Layout {
    Size size; // as stored
    int bits = 1; // of a sample: 1, 2, 4, 8, 16 or 32
    int samples = 1; // of a pixel
    int format = SAMPLEFORMAT_UINT;
    int photometric = PHOTOMETRIC_MINISWHITE;
    int compression = COMPRESSION_NONE;
    int alpha = -1; // meaning of the fourth or second sample; -1: none
    bool planes = false; // each sample in a plane of its own
    int orientation = 1; // 1 to 8, from the tag or XMP
  };

  // Keeps `bytes` in view; no single allocation of libtiff is larger than
  // `most_memory`. Throws Error(kData) when there is no directory that can be
  // read.
  TiffFile(Bytes bytes, std::int64_t most_memory);
  ~TiffFile();
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_; }
  const Layout& layout() const { return layout_; }
  // Turned as the orientation says: Pillow turns TIFFs as it loads them.
  Size shown_size() const;
  // Defects are counted from here on: before, libtiff warns of every tag that
  // it does not know.
  void start_pixels() { in_pixels_ = true; }
  int warnings() const { return warnings_; }
  // Throws Error(kData) with the first error of libtiff.
  [[noreturn]] void fail_with_message() const;

 private:
  struct Callbacks;

  Bytes bytes_;
  std::uint64_t at_ = 0;
  std::array<char, 256> error_{}; // the first one
  int warnings_ = 0;
  bool in_pixels_ = false;
  bool lost_palette_ = false;
  TIFF* tiff_ = nullptr;
  Layout layout_;
};

// Throws Error(kData) for samples of which decode_tiff() makes no pixels.
void check_supported(const TiffFile::Layout& layout);
// Checks the layout for decode_tiff_channels() with `channels` channels.
void check_channels(const TiffFile::Layout& layout, int channels);

// Throws Error(kData) if `bytes` cannot contain the image.
void check_plausible(const TiffFile::Layout& layout, std::size_t bytes);

} // namespace vitrain::image::detail

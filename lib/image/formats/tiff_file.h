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
    Size size; // pixels, as stored, before rotation
    int bits = 1; // bits per sample: 1, 2, 4, 8, 16 or 32
    int samples = 1; // number of channels per pixel
    int format = SAMPLEFORMAT_UINT;
    int photometric = PHOTOMETRIC_MINISWHITE;
    int compression = COMPRESSION_NONE;
    int alpha = -1; // EXTRASAMPLE_... of the first extra sample; -1: none
    bool planes = false; // each sample is stored in a separate plane
    int orientation = 1; // 1 to 8, from the tag or XMP
  };

  // Opens the first image. `bytes` must outlive the object. No single
  // allocation of libtiff exceeds `most_memory` bytes. Throws Error(kData) if
  // no directory can be read or the palette is damaged, Error(kOutOfMemory) if
  // libtiff lacks memory.
  TiffFile(Bytes bytes, std::int64_t most_memory);
  ~TiffFile();
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_; }
  const Layout& layout() const { return layout_; }
  // Returns the size after applying the orientation; Pillow rotates TIFFs when
  // it loads them.
  Size shown_size() const;
  // Starts counting warnings; call it before reading pixels. Earlier ones do
  // not count, because libtiff warns of every unknown tag.
  void start_pixels() { in_pixels_ = true; }
  int warnings() const { return warnings_; }
  // Throws Error(kData) with libtiff's first error message, or a general one.
  [[noreturn]] void fail_with_message() const;

 private:
  struct Callbacks;

  Bytes bytes_;
  std::uint64_t at_ = 0;
  std::array<char, 256> error_{}; // first error message of libtiff
  int warnings_ = 0;
  bool in_pixels_ = false;
  bool lost_palette_ = false;
  TIFF* tiff_ = nullptr;
  Layout layout_;
};

// Throws Error(kData) if decode_tiff() does not support this layout.
void check_supported(const TiffFile::Layout& layout);
// Throws Error(kData) if decode_tiff_channels() does not support this layout
// with `channels` channels.
void check_channels(const TiffFile::Layout& layout, int channels);

// Throws Error(kData) if a file of `bytes` bytes cannot contain an image of
// this layout.
void check_plausible(const TiffFile::Layout& layout, std::size_t bytes);

} // namespace vitrain::image::detail

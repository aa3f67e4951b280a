#include "image/formats/tiff_file.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/check.h"
#include "core/text.h"
#include "image/formats/exif.h"

namespace vitrain::image::detail {

// Callbacks by which libtiff accesses the bytes and reports messages. They must
// not throw through libtiff; errors are return values.
struct TiffFile::Callbacks {
  static TiffFile& file(void* data) { return *static_cast<TiffFile*>(data); }

  static tmsize_t read(thandle_t data, void* to, tmsize_t size) {
    TiffFile& self = file(data);
    if (size <= 0 || self.at_ >= self.bytes_.size()) {
      return 0;
    }
    const std::size_t count = std::min(
        static_cast<std::size_t>(size),
        self.bytes_.size() - static_cast<std::size_t>(self.at_));
    std::memcpy(to, self.bytes_.data() + self.at_, count);
    self.at_ += count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t data, toff_t offset, int whence) {
    TiffFile& self = file(data);
    self.at_ = whence == SEEK_SET ? offset
        : whence == SEEK_CUR      ? self.at_ + offset
                                  : self.bytes_.size() + offset;
    return self.at_;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t data) { return file(data).bytes_.size(); }
  // The const_cast is safe: libtiff does not write to memory mapped for
  // reading.
  static int map(thandle_t data, void** base, toff_t* size) {
    const Bytes bytes = file(data).bytes_;
    *base = const_cast<std::uint8_t*>(bytes.data());
    *size = bytes.size();
    return 1;
  }
  static void unmap(thandle_t, void*, toff_t) {}

  static int error(
      TIFF* /*tiff*/,
      void* data,
      const char* /*module*/,
      const char* format,
      va_list arguments) {
    TiffFile& self = file(data);
    if (self.error_[0] == 0) {
      std::vsnprintf(self.error_.data(), self.error_.size(), format, arguments);
    }
    return 1;
  }
  static int warning(
      TIFF* /*tiff*/,
      void* data,
      const char* /*module*/,
      const char* format,
      va_list arguments) {
    TiffFile& self = file(data);
    if (self.in_pixels_) {
      ++self.warnings_;
      return 1;
    }
    char text[256] = "";
    std::vsnprintf(text, sizeof text, format, arguments);
    self.lost_palette_ |= std::strstr(text, "\"ColorMap\"") != nullptr;
    return 1;
  }
};

namespace {

int field(TIFF* tiff, ttag_t tag) {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

// Returns the orientation tag or, without it, the orientation in the XMP
// packet; 1 if there is neither.
int orientation_of(TIFF* tiff) {
  std::uint16_t tag = 0;
  if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &tag) != 0) {
    return tag;
  }
  std::uint32_t size = 0;
  const char* packet = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &packet) == 0 ||
      packet == nullptr) {
    return 1;
  }
  return xmp_orientation({packet, size});
}

TiffFile::Layout layout_of(TIFF* tiff) {
  TiffFile::Layout layout;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  layout.size = {width, height};
  layout.bits = field(tiff, TIFFTAG_BITSPERSAMPLE);
  layout.samples = field(tiff, TIFFTAG_SAMPLESPERPIXEL);
  layout.format = field(tiff, TIFFTAG_SAMPLEFORMAT);
  layout.photometric = field(tiff, TIFFTAG_PHOTOMETRIC);
  layout.compression = field(tiff, TIFFTAG_COMPRESSION);
  std::uint16_t extras = 0;
  const std::uint16_t* meanings = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &meanings);
  layout.alpha = extras > 0 && meanings != nullptr ? meanings[0] : -1;
  layout.planes = field(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE &&
      layout.samples > 1;
  layout.orientation = orientation_of(tiff);
  return layout;
}

// Maximum expansion factor of a compression, used to refuse impossible sizes
// before memory is allocated. Deflate: zlib's technical notes; LZW: codes of 12
// bits for strings that grow by one byte each; PackBits: 128 from 2. Other
// compressions have no useful limit (0); see check_density().
std::int64_t most_bytes_from_one(int compression) {
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_LZW:
      return 4096;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return 1032;
    default:
      return 0;
  }
}

} // namespace

TiffFile::TiffFile(Bytes bytes, std::int64_t most_memory) : bytes_(bytes) {
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  VITRAIN_CHECK(
      options != nullptr, ExitCode::kOutOfMemory, "libtiff: out of memory");
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, most_memory);
  TIFFOpenOptionsSetErrorHandlerExtR(options, Callbacks::error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options, Callbacks::warning, this);
  tiff_ = TIFFClientOpenExt(
      "image",
      "rC", // reads strips as they are, without splitting large ones
      this,
      Callbacks::read,
      Callbacks::write,
      Callbacks::seek,
      Callbacks::close,
      Callbacks::size,
      Callbacks::map,
      Callbacks::unmap,
      options);
  TIFFOpenOptionsFree(options);
  if (tiff_ == nullptr) {
    fail_with_message();
  }
  layout_ = layout_of(tiff_);
  try {
    // Otherwise libtiff would use the colour indices as grey levels.
    VITRAIN_CHECK_DATA(
        !lost_palette_, "damaged TIFF: its palette cannot be read");
  } catch (...) {
    TIFFClose(tiff_);
    throw;
  }
}

TiffFile::~TiffFile() {
  TIFFClose(tiff_);
}

Size TiffFile::shown_size() const {
  const Size& size = layout_.size;
  return layout_.orientation >= 5 ? Size{size.height, size.width} : size;
}

void TiffFile::fail_with_message() const {
  fail_data(
      "damaged TIFF: {}",
      error_[0] == 0 ? "it ends early or cannot be read"
                     : printable(error_.data()));
}

namespace {

bool is_one_of(int value, std::initializer_list<int> any) {
  return std::find(any.begin(), any.end(), value) != any.end();
}

void require(bool holds, const char* what, int value) {
  VITRAIN_CHECK_DATA(holds, "unsupported TIFF: {} {}", what, value);
}

void check_compression(const TiffFile::Layout& of) {
  require(
      is_one_of(
          of.compression,
          {COMPRESSION_NONE,
           COMPRESSION_CCITTRLE,
           COMPRESSION_CCITTFAX3,
           COMPRESSION_CCITTFAX4,
           COMPRESSION_LZW,
           COMPRESSION_JPEG,
           COMPRESSION_ADOBE_DEFLATE,
           COMPRESSION_DEFLATE,
           COMPRESSION_PACKBITS,
           COMPRESSION_LZMA,
           COMPRESSION_ZSTD}) &&
          TIFFIsCODECConfigured(static_cast<std::uint16_t>(of.compression)),
      "compression",
      of.compression);
}

} // namespace

void check_supported(const TiffFile::Layout& of) {
  check_compression(of);
  const bool grey = of.photometric == PHOTOMETRIC_MINISWHITE ||
      of.photometric == PHOTOMETRIC_MINISBLACK;
  const bool plain = of.format == SAMPLEFORMAT_UINT;
  bool bits = false;
  bool samples = false;
  switch (of.photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
      bits = plain ? is_one_of(of.bits, {1, 2, 4, 8, 16, 32})
          : of.format == SAMPLEFORMAT_INT ? is_one_of(of.bits, {8, 16, 32})
                                          : of.bits == 32;
      samples = of.samples == 1 ||
          (of.samples == 2 && of.bits == 8 &&
           of.alpha == EXTRASAMPLE_UNASSALPHA);
      break;
    case PHOTOMETRIC_PALETTE:
      bits = is_one_of(of.bits, {1, 2, 4, 8});
      samples = of.samples == 1 || (of.samples == 2 && of.bits == 8);
      break;
    case PHOTOMETRIC_RGB:
      bits = is_one_of(of.bits, {8, 16});
      samples = of.samples >= 3 && of.samples <= 6;
      break;
    case PHOTOMETRIC_SEPARATED:
      bits = is_one_of(of.bits, {8, 16});
      samples = of.samples >= 4 && of.samples <= 6;
      break;
    case PHOTOMETRIC_YCBCR:
      bits = of.bits == 8;
      samples = of.samples == 3 || of.samples == 1;
      break;
    default:
      require(false, "photometric interpretation", of.photometric);
  }
  require(plain || grey, "sample format", of.format);
  require(
      is_one_of(
          of.format,
          {SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT, SAMPLEFORMAT_IEEEFP}),
      "sample format",
      of.format);
  require(bits, "bits per sample:", of.bits);
  require(samples, "samples per pixel:", of.samples);
}

void check_channels(const TiffFile::Layout& of, int channels) {
  check_compression(of);
  require(
      is_one_of(of.photometric, {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_RGB}),
      "photometric interpretation",
      of.photometric);
  VITRAIN_CHECK_DATA(
      of.samples == channels,
      "its pixels have {} channels, and {} are wanted",
      of.samples,
      channels);
  VITRAIN_CHECK_DATA(
      of.bits == 8 && of.format == SAMPLEFORMAT_UINT,
      "unsupported TIFF: samples of {} bits{}; of images with other than 1 or "
      "3 channels they are whole numbers of 8 bits: scale them to those",
      of.bits,
      of.format == SAMPLEFORMAT_UINT ? ""
                                     : " that are no whole numbers from 0");
}

void check_plausible(const TiffFile::Layout& of, std::size_t bytes) {
  check_density(of.size, bytes);
  const std::int64_t most = most_bytes_from_one(of.compression);
  // Subsampled YCbCr has fewer samples than pixels.
  const int samples = of.photometric == PHOTOMETRIC_YCBCR ? 1 : of.samples;
  const std::int64_t row_bytes = (of.size.width * of.bits * samples + 7) / 8;
  VITRAIN_CHECK_DATA(
      most == 0 ||
          row_bytes * of.size.height / most <= static_cast<std::int64_t>(bytes),
      "damaged TIFF: {} bytes cannot hold {} x {} pixels",
      bytes,
      of.size.width,
      of.size.height);
}

} // namespace vitrain::image::detail

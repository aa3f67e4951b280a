#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "image/formats/cmyk.h"
#include "image/formats/exif.h"
#include "image/formats/formats.h"
#include "image/formats/levels.h"
#include "image/formats/tiff_file.h"
#include "image/formats/tiff_rows.h"

namespace vitrain::image::detail {
namespace {

using Layout = TiffFile::Layout;

// Type of a pixel.
enum class Kind { kGrey, kPalette, kRgb, kPremultiplied, kCmyk };

Kind kind_of(const Layout& of) {
  switch (of.photometric) {
    case PHOTOMETRIC_PALETTE:
      return Kind::kPalette;
    case PHOTOMETRIC_SEPARATED:
      return Kind::kCmyk;
    case PHOTOMETRIC_RGB:
      return of.samples > 3 && of.alpha == EXTRASAMPLE_ASSOCALPHA
          ? Kind::kPremultiplied
          : Kind::kRgb;
    default:
      return of.samples >= 3 ? Kind::kRgb : Kind::kGrey;
  }
}

template <typename Number>
Number number_at(const std::uint8_t* row, std::ptrdiff_t i) {
  Number value;
  std::memcpy(
      &value,
      row + i * static_cast<std::ptrdiff_t>(sizeof value),
      sizeof value);
  return value;
}

// Returns sample i of a row as 8 bits (palette: as an index). Samples with
// fewer bits are scaled to [0, 255]; those with more are converted by `levels`.
std::uint8_t sample_at(
    const Layout& of,
    const std::uint8_t* row,
    std::ptrdiff_t i,
    Levels& levels) {
  const bool grey = of.samples == 1;
  switch (of.bits) {
    case 8:
      return row[i];
    case 16:
      return !grey ? levels.colour(number_at<std::uint16_t>(row, i))
          : of.format == SAMPLEFORMAT_INT
          ? levels.grey(number_at<std::int16_t>(row, i))
          : levels.grey(number_at<std::uint16_t>(row, i));
    case 32:
      // Reads unsigned 32-bit integers as signed ones, too.
      return of.format == SAMPLEFORMAT_IEEEFP
          ? levels.grey(number_at<float>(row, i))
          : levels.grey(number_at<std::int32_t>(row, i));
    default: {
      const std::ptrdiff_t bit = i * of.bits;
      const int top = (1 << of.bits) - 1;
      const int value = (row[bit / 8] >> (8 - of.bits - bit % 8)) & top;
      return static_cast<std::uint8_t>(
          of.photometric == PHOTOMETRIC_PALETTE ? value : value * 255 / top);
    }
  }
}

// Converts rows of samples to RGB.
class Converter {
 public:
  // The range is not applied to CMYK and to colours premultiplied by alpha,
  // because their samples depend on each other.
  Converter(const TiffFile& file, const DecodeOptions& options)
      : layout_(file.layout()),
        kind_(kind_of(layout_)),
        levels_(
            kind_ == Kind::kGrey || kind_ == Kind::kRgb ? options.range
                                                        : std::nullopt) {
    // MINISWHITE (0 is white) applies only to samples of up to 8 bits.
    inverted_ =
        layout_.photometric == PHOTOMETRIC_MINISWHITE && layout_.bits <= 8;
    if (kind_ == Kind::kPalette) {
      read_palette(file);
    }
  }

  // `planes`: one row with all samples, or one row per sample.
  void convert(
      const std::vector<const std::uint8_t*>& planes,
      int pixels,
      std::uint8_t* rgb) {
    if (kind_ == Kind::kRgb && layout_.samples == 3 && layout_.bits == 8 &&
        !layout_.planes) {
      std::memcpy(rgb, planes[0], static_cast<std::size_t>(pixels) * 3);
      return;
    }
    std::array<std::uint8_t, 4> value{};
    const int used = std::min(layout_.samples, 4);
    for (int x = 0; x < pixels; ++x, rgb += 3) {
      for (int s = 0; s < used; ++s) {
        const auto at = static_cast<std::size_t>(s);
        value[at] = layout_.planes
            ? sample_at(layout_, planes[at], x, levels_)
            : sample_at(
                  layout_,
                  planes[0],
                  std::ptrdiff_t{x} * layout_.samples + s,
                  levels_);
      }
      to_rgb(value, rgb);
    }
  }

  bool clipped() const { return levels_.clipped(); }

 private:
  void read_palette(const TiffFile& file) {
    std::array<const std::uint16_t*, 3> colours{};
    VITRAIN_CHECK_DATA(
        TIFFGetField(
            file.get(),
            TIFFTAG_COLORMAP,
            &colours[0],
            &colours[1],
            &colours[2]) != 0,
        "damaged TIFF: it has no palette");
    for (std::size_t i = 0; i < std::size_t{1} << layout_.bits; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        palette_[i][c] = static_cast<std::uint8_t>(colours[c][i] >> 8);
      }
    }
  }

  void to_rgb(const std::array<std::uint8_t, 4>& value, std::uint8_t* rgb)
      const {
    switch (kind_) {
      case Kind::kGrey:
        std::memset(rgb, inverted_ ? 255 - value[0] : value[0], 3);
        break;
      case Kind::kPalette:
        std::memcpy(rgb, palette_[value[0]].data(), 3);
        break;
      case Kind::kRgb:
        std::memcpy(rgb, value.data(), 3);
        break;
      case Kind::kPremultiplied:
        for (std::size_t c = 0; c < 3; ++c) {
          rgb[c] = value[3] == 0 ? 0
                                 : static_cast<std::uint8_t>(std::min(
                                       value[c] * 255 / value[3], 255));
        }
        break;
      case Kind::kCmyk:
        cmyk_to_rgb(value.data(), rgb);
        break;
    }
  }

  const Layout& layout_;
  Kind kind_;
  Levels levels_;
  bool inverted_ = false;
  std::array<std::array<std::uint8_t, 3>, 256> palette_{};
};

void read_samples(
    const TiffFile& file,
    const DecodeOptions& options,
    Image& image) {
  Converter converter(file, options);
  const std::int64_t width = file.layout().size.width;
  read_rows(file, [&](const SampleRow& row) {
    converter.convert(
        row.planes,
        row.pixels,
        image.pixels.data() + (row.y * width + row.x) * 3);
  });
  image.clipped = converter.clipped();
}

// Reads YCbCr images, whose chroma libtiff must upsample.
void read_ycbcr(const TiffFile& file, Image& image) {
  struct Reader {
    TIFFRGBAImage rgba{};
    bool open = false;
    ~Reader() {
      if (open) {
        TIFFRGBAImageEnd(&rgba);
      }
    }
  } reader;
  char message[1024] = "";
  if (TIFFRGBAImageOK(file.get(), message) == 0 ||
      TIFFRGBAImageBegin(&reader.rgba, file.get(), 1, message) == 0) {
    file.fail_with_message();
  }
  reader.open = true;
  reader.rgba.orientation = ORIENTATION_TOPLEFT;
  reader.rgba.req_orientation = ORIENTATION_TOPLEFT;
  const Size& size = file.layout().size;
  const std::int64_t step = rows_at_once(file);
  std::vector<std::uint32_t> pixels(
      static_cast<std::size_t>(size.width * std::min(step, size.height)));
  std::uint8_t* rgb = image.pixels.data();
  for (std::int64_t y = 0; y < size.height; y += step) {
    const std::int64_t rows = std::min(step, size.height - y);
    reader.rgba.row_offset = static_cast<int>(y);
    if (TIFFRGBAImageGet(
            &reader.rgba,
            pixels.data(),
            static_cast<std::uint32_t>(size.width),
            static_cast<std::uint32_t>(rows)) == 0) {
      file.fail_with_message();
    }
    for (std::int64_t i = 0; i < rows * size.width; ++i, rgb += 3) {
      const std::uint32_t pixel = pixels[static_cast<std::size_t>(i)];
      rgb[0] = static_cast<std::uint8_t>(TIFFGetR(pixel));
      rgb[1] = static_cast<std::uint8_t>(TIFFGetG(pixel));
      rgb[2] = static_cast<std::uint8_t>(TIFFGetB(pixel));
    }
  }
}

} // namespace

// Returns the size after rotation; Pillow rotates TIFFs when it loads them.
Size tiff_size(Bytes bytes) {
  const TiffFile file(bytes, most_tiff_memory({}));
  check_supported(file.layout());
  return file.shown_size();
}

Image decode_tiff(Bytes bytes, const DecodeOptions& options) {
  TiffFile file(bytes, most_tiff_memory(options));
  const Layout& of = file.layout();
  check_supported(of);
  check_size(of.size, options);
  check_plausible(of, bytes.size());
  const bool ycbcr = of.photometric == PHOTOMETRIC_YCBCR && of.samples == 3;
  const bool by_libjpeg =
      ycbcr && of.compression == COMPRESSION_JPEG && !of.planes;
  if (by_libjpeg) {
    TIFFSetField(file.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  file.start_pixels();
  Image image = blank(of.size);
  if (ycbcr && !by_libjpeg) {
    read_ycbcr(file, image);
  } else {
    read_samples(file, options, image);
  }
  image.warnings = file.warnings();
  return oriented(std::move(image), of.orientation);
}

} // namespace vitrain::image::detail

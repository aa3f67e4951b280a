#include <avif/avif.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/check.h"
#include "image/formats/formats.h"

namespace vitrain::image::detail {
namespace {

using namespace std::string_view_literals;

struct DeleteDecoder {
  void operator()(avifDecoder* decoder) const { avifDecoderDestroy(decoder); }
};
using Decoder = std::unique_ptr<avifDecoder, DeleteDecoder>;

void check(avifResult result) {
  VITRAIN_CHECK(
      result != AVIF_RESULT_OUT_OF_MEMORY,
      ExitCode::kOutOfMemory,
      "libavif: out of memory");
  VITRAIN_CHECK_DATA(
      result == AVIF_RESULT_OK, "damaged AVIF: {}", avifResultToString(result));
}

// Opens a file and reads its header; throws for frames of more than
// `most_pixels`. As Pillow, accepts an invalid clean aperture (which is not
// applied) and missing bit depths.
Decoder
parsed(Bytes bytes, std::int64_t most_pixels, bool with_metadata = false) {
  Decoder decoder(avifDecoderCreate());
  VITRAIN_CHECK(
      decoder != nullptr, ExitCode::kOutOfMemory, "libavif: out of memory");
  decoder->maxThreads = 1; // the loader already uses several threads
  decoder->ignoreExif = with_metadata ? AVIF_FALSE : AVIF_TRUE;
  decoder->ignoreXMP = decoder->ignoreExif;
  decoder->imageSizeLimit = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(most_pixels, 1, AVIF_DEFAULT_IMAGE_SIZE_LIMIT));
  decoder->strictFlags &= ~static_cast<avifStrictFlags>(
      AVIF_STRICT_CLAP_VALID | AVIF_STRICT_PIXI_REQUIRED);
  check(avifDecoderSetIOMemory(decoder.get(), bytes.data(), bytes.size()));
  check(avifDecoderParse(decoder.get()));
  return decoder;
}

Size size_of(const Decoder& decoder) {
  return {decoder->image->width, decoder->image->height};
}

struct DeleteImage {
  void operator()(avifImage* image) const { avifImageDestroy(image); }
};
using Frame = std::unique_ptr<avifImage, DeleteImage>;

// Returns true if libavif 1.3 in Pillow's wheels drops the low bits of a sample
// before the conversion to RGB: where libyuv supports only 8 bits.
bool loses_bits(const avifDecoder& decoder) {
  const avifImage& image = *decoder.image;
  if (image.depth <= 8 || decoder.alphaPresent != AVIF_FALSE ||
      image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400) {
    return false;
  }
  switch (image.matrixCoefficients) {
    case AVIF_MATRIX_COEFFICIENTS_BT709:
    case AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED:
    case AVIF_MATRIX_COEFFICIENTS_BT470BG:
    case AVIF_MATRIX_COEFFICIENTS_BT601:
    case AVIF_MATRIX_COEFFICIENTS_BT2020_NCL:
    case AVIF_MATRIX_COEFFICIENTS_CHROMA_DERIVED_NCL:
      return true;
    default:
      return false;
  }
}

// Returns a YUV frame of more than 8 bits per sample, reduced to 8 bits.
Frame with_8_bits(const avifImage& image) {
  Frame frame(avifImageCreate(image.width, image.height, 8, image.yuvFormat));
  VITRAIN_CHECK(
      frame != nullptr, ExitCode::kOutOfMemory, "libavif: out of memory");
  frame->yuvRange = image.yuvRange;
  frame->yuvChromaSamplePosition = image.yuvChromaSamplePosition;
  frame->colorPrimaries = image.colorPrimaries;
  frame->transferCharacteristics = image.transferCharacteristics;
  frame->matrixCoefficients = image.matrixCoefficients;
  check(avifImageAllocatePlanes(frame.get(), AVIF_PLANES_YUV));
  avifPixelFormatInfo format;
  avifGetPixelFormatInfo(image.yuvFormat, &format);
  for (int plane = 0; plane < 3; ++plane) {
    const int across = plane == 0 ? 0 : format.chromaShiftX;
    const int down = plane == 0 ? 0 : format.chromaShiftY;
    const std::uint32_t width = (image.width + (1U << across) - 1) >> across;
    const std::uint32_t height = (image.height + (1U << down) - 1) >> down;
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint8_t* from =
          image.yuvPlanes[plane] + y * image.yuvRowBytes[plane];
      std::uint8_t* to =
          frame->yuvPlanes[plane] + y * frame->yuvRowBytes[plane];
      for (std::size_t x = 0; x < width; ++x, from += 2) {
        std::uint16_t value = 0;
        std::memcpy(&value, from, sizeof value);
        to[x] = static_cast<std::uint8_t>(value >> (image.depth - 8));
      }
    }
  }
  return frame;
}

// RGB pixels of the decoder's current frame, converted by libavif.
struct Pixels {
  avifRGBImage rgb{};

  explicit Pixels(const Decoder& decoder) {
    avifRGBImageSetDefaults(&rgb, decoder->image);
    rgb.depth = 8;
    rgb.format = decoder->alphaPresent != AVIF_FALSE ? AVIF_RGB_FORMAT_RGBA
                                                     : AVIF_RGB_FORMAT_RGB;
    avifRGBImageAllocatePixels(&rgb);
    VITRAIN_CHECK(
        rgb.pixels != nullptr,
        ExitCode::kOutOfMemory,
        "libavif: out of memory");
  }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;
  ~Pixels() { avifRGBImageFreePixels(&rgb); }
};

} // namespace

bool is_avif(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  if (text.size() < 12 || text.substr(4, 4) != "ftyp"sv) {
    return false;
  }
  // Layout: size of the box, its name, the first brand, a version, more brands.
  const std::size_t size = std::min<std::size_t>(
      std::size_t{bytes[0]} << 24 | std::size_t{bytes[1]} << 16 |
          std::size_t{bytes[2]} << 8 | bytes[3],
      text.size());
  for (std::size_t at = 8; at + 4 <= std::max<std::size_t>(size, 12); at += 4) {
    const std::string_view brand = text.substr(at, 4);
    if (at != 12 && (brand == "avif"sv || brand == "avis"sv)) {
      return true;
    }
  }
  return false;
}

Size avif_size(Bytes bytes) {
  return size_of(parsed(bytes, AVIF_DEFAULT_IMAGE_SIZE_LIMIT));
}

Image decode_avif(Bytes bytes, const DecodeOptions& options) {
  const Size size = avif_size(bytes);
  check_size(size, options);
  check_density(size, bytes.size());
  // The frame's size may differ from the header's: coded frames can be larger
  // by a block.
  const Decoder decoder =
      parsed(bytes, (size.width + 128) * (size.height + 128));
  check(avifDecoderNextImage(decoder.get()));
  const Size decoded = size_of(decoder);
  VITRAIN_CHECK_DATA(
      decoded.width == size.width && decoded.height == size.height,
      "damaged AVIF: its frame has another size than its header says");
  // Uses libyuv's conversion if available, like Pillow's wheels; it differs by
  // one level from libavif's own.
  Pixels converted(decoder);
  Frame coarse;
  if (loses_bits(*decoder)) {
    coarse = with_8_bits(*decoder->image);
  }
  check(avifImageYUVToRGB(
      coarse != nullptr ? coarse.get() : decoder->image, &converted.rgb));

  Image image = blank(size);
  const std::size_t step = avifRGBImagePixelSize(&converted.rgb);
  std::uint8_t* out = image.pixels.data();
  for (std::int64_t y = 0; y < size.height; ++y) {
    const std::uint8_t* from = converted.rgb.pixels +
        static_cast<std::size_t>(y) * converted.rgb.rowBytes;
    for (std::int64_t x = 0; x < size.width; ++x, from += step, out += 3) {
      std::memcpy(out, from, 3);
    }
  }
  return image;
}

int avif_orientation(Bytes bytes) {
  try {
    const Decoder decoder = parsed(bytes, AVIF_DEFAULT_IMAGE_SIZE_LIMIT);
    const avifImage& image = *decoder->image;
    const bool mirrored = (image.transformFlags & AVIF_TRANSFORM_IMIR) != 0;
    const bool across = image.imir.mode != 0; // true: mirrors left to right
    const int turns = (image.transformFlags & AVIF_TRANSFORM_IROT) != 0
        ? image.irot.angle & 3 // quarter turns counter-clockwise
        : 0;
    if (!mirrored) {
      constexpr int kTurned[] = {1, 8, 3, 6};
      return kTurned[turns];
    }
    constexpr int kTopBottom[] = {4, 5, 2, 7};
    constexpr int kLeftRight[] = {2, 7, 4, 5};
    return across ? kLeftRight[turns] : kTopBottom[turns];
  } catch (const Error&) {
    return 1;
  }
}

AvifMetadata avif_metadata(Bytes bytes) {
  try {
    const Decoder decoder =
        parsed(bytes, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, /*with_metadata=*/true);
    const avifRWData& exif = decoder->image->exif;
    const avifRWData& xmp = decoder->image->xmp;
    return {
        {exif.data, exif.data + exif.size},
        {reinterpret_cast<const char*>(xmp.data), xmp.size}};
  } catch (const Error&) {
    return {};
  }
}

} // namespace vitrain::image::detail

#include "image/formats/webp.h"

#include <webp/decode.h>

#include "core/check.h"
#include "image/formats/formats.h"

namespace vitrain::image::detail {
namespace {

const char* reason(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OK:
      return "no error";
    case VP8_STATUS_OUT_OF_MEMORY:
      return "out of memory";
    case VP8_STATUS_INVALID_PARAM:
      return "the frame does not fit its canvas";
    case VP8_STATUS_BITSTREAM_ERROR:
      return "the pixel data are invalid";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "it uses an unsupported feature";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "the file is truncated";
    case VP8_STATUS_USER_ABORT:
      break;
  }
  return "decoding was stopped";
}

// The first frame's data and its position on the canvas.
struct Frame {
  WebPIterator iterator{};

  explicit Frame(const WebpFile& file) {
    VITRAIN_CHECK_DATA(
        WebPDemuxGetFrame(file.get(), 1, &iterator) != 0,
        "damaged WebP: it has no frame");
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { WebPDemuxReleaseIterator(&iterator); }
};

WebpFile open_checked(Bytes bytes) {
  WebpFile file = open_webp(bytes);
  VITRAIN_CHECK_DATA(
      file != nullptr,
      "damaged WebP: its chunks are truncated or do not fit together");
  return file;
}

Size size_of(const WebpFile& file) {
  return {
      WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH),
      WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT)};
}

} // namespace

WebpFile open_webp(Bytes bytes) {
  const WebPData data{bytes.data(), bytes.size()};
  return WebpFile(WebPDemux(&data));
}

Size webp_size(Bytes bytes) {
  return size_of(open_checked(bytes));
}

// Decodes the first frame like libwebp's animation decoder, which Pillow uses:
// pixels outside the frame are black, and alpha is not blended.
Image decode_webp(Bytes bytes, const DecodeOptions& options) {
  const WebpFile file = open_checked(bytes);
  const Size size = size_of(file);
  check_size(size, options);
  check_density(size, bytes.size());
  const Frame frame(file);
  const WebPIterator& at = frame.iterator;
  VITRAIN_CHECK_DATA(
      at.x_offset >= 0 && at.y_offset >= 0 && at.width > 0 && at.height > 0 &&
          at.x_offset + at.width <= size.width &&
          at.y_offset + at.height <= size.height,
      "damaged WebP: {}",
      reason(VP8_STATUS_INVALID_PARAM));

  WebPDecoderConfig config;
  VITRAIN_CHECK(
      WebPInitDecoderConfig(&config) != 0,
      ExitCode::kInternal,
      "libwebp has another version than its headers");
  Image image = blank(size);
  const std::size_t stride = static_cast<std::size_t>(size.width) * 3;
  const std::size_t start = static_cast<std::size_t>(at.y_offset) * stride +
      static_cast<std::size_t>(at.x_offset) * 3;
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = image.pixels.data() + start;
  config.output.u.RGBA.stride = static_cast<int>(stride);
  config.output.u.RGBA.size = image.pixels.size() - start;
  const VP8StatusCode status =
      WebPDecode(at.fragment.bytes, at.fragment.size, &config);
  VITRAIN_CHECK_DATA(
      status == VP8_STATUS_OK, "damaged WebP: {}", reason(status));
  return image;
}

} // namespace vitrain::image::detail

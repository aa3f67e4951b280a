#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>

// jpeglib.h needs size_t and FILE declared before it.
#include <jerror.h>
#include <jpeglib.h>

#include "core/check.h"
#include "core/text.h"
#include "image/formats/cmyk.h"
#include "image/formats/formats.h"

namespace vitrain::image::detail {
namespace {

// State of one decoder. Trivially destructible, because libjpeg reports errors
// by longjmp.
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf on_error{};
  char message[JMSG_LENGTH_MAX] = {};
  int warnings = 0;
  // True after an error because of a type that libjpeg does not support.
  bool unsupported = false;
  int max_scans = 0;
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::uint8_t* pixels = nullptr; // [output_height, output_width, channels]
};

Decoder& decoder_of(j_common_ptr jpeg) {
  return *static_cast<Decoder*>(jpeg->client_data);
}

[[noreturn]] void leave(Decoder& decoder) {
  std::longjmp(decoder.on_error, 1);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Decoder& decoder = decoder_of(jpeg);
  switch (jpeg->err->msg_code) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION: // 12 bits
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_SOF_UNSUPPORTED: // lossless or hierarchical
      decoder.unsupported = true;
      break;
    default:
      break;
  }
  jpeg->err->format_message(jpeg, decoder.message);
  leave(decoder);
}

void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) {
    return; // a trace, not a warning
  }
  Decoder& decoder = decoder_of(jpeg);
  ++decoder.warnings;
  // libjpeg reached the end of the file: the rest of the image would be grey.
  if (jpeg->err->msg_code == JWRN_JPEG_EOF) {
    std::snprintf(
        decoder.message, sizeof(decoder.message), "the file is truncated");
    leave(decoder);
  }
}

void on_output(j_common_ptr) {}

// Called for every row of blocks. Ends decoding after too many scans;
// check_scans() misses some, because libjpeg resumes at the next marker after
// damage.
void on_progress(j_common_ptr jpeg) {
  Decoder& decoder = decoder_of(jpeg);
  if (decoder.jpeg.input_scan_number > decoder.max_scans) {
    std::snprintf(
        decoder.message,
        sizeof(decoder.message),
        "it has more than %d scans",
        decoder.max_scans);
    leave(decoder);
  }
}

// Runs `step` and returns false if libjpeg reported an error. `step` must be a
// C function: there must be no destructor between it and the longjmp.
bool guarded(Decoder& decoder, void (*step)(Decoder&)) {
  if (setjmp(decoder.on_error) != 0) {
    return false;
  }
  step(decoder);
  return true;
}

void read_header(Decoder& decoder) {
  jpeg_create_decompress(&decoder.jpeg);
  jpeg_mem_src(
      &decoder.jpeg,
      decoder.bytes,
      static_cast<unsigned long>(decoder.size)); // NOLINT: libjpeg's type
  jpeg_read_header(&decoder.jpeg, TRUE);
  decoder.jpeg.dct_method = JDCT_ISLOW;
  decoder.jpeg.do_fancy_upsampling = TRUE;
  // libjpeg converts grey and YCbCr to RGB, but four channels only to CMYK.
  decoder.jpeg.out_color_space =
      decoder.jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
}

void read_pixels(Decoder& decoder) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg.progress = &decoder.progress;
  jpeg_start_decompress(&jpeg);
  const std::size_t stride = std::size_t{jpeg.output_width} *
      static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = decoder.pixels + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
}

// Frees what libjpeg allocated, also after an error.
struct Cleanup {
  Decoder& decoder;
  ~Cleanup() { jpeg_destroy_decompress(&decoder.jpeg); }
};

void run(Decoder& decoder, void (*step)(Decoder&)) {
  VITRAIN_CHECK_DATA(
      guarded(decoder, step),
      "{} JPEG: {}",
      decoder.unsupported ? "unsupported" : "damaged",
      printable(decoder.message));
}

Size size_of(const Decoder& decoder) {
  return {decoder.jpeg.image_width, decoder.jpeg.image_height};
}

void open(Decoder& decoder, Bytes bytes) {
  decoder.jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.jpeg.client_data = &decoder;
  decoder.errors.error_exit = on_error;
  decoder.errors.emit_message = on_message;
  decoder.errors.output_message = on_output;
  decoder.progress.progress_monitor = on_progress;
  decoder.bytes = bytes.data();
  decoder.size = bytes.size();
  run(decoder, read_header);
  const int channels = decoder.jpeg.num_components;
  VITRAIN_CHECK_DATA(
      channels == 1 || channels == 3 || channels == 4,
      "unsupported JPEG: it has {} colour channels; 1, 3 and 4 have a meaning",
      channels);
}

// Throws Error(kData) if the file is too small for the image, before memory is
// allocated: a block of 8 x 8 pixels takes at least one bit of Huffman code.
// Arithmetic coding has no such limit; see check_density().
void check_plausible(const Decoder& decoder) {
  const Size size = size_of(decoder);
  if (decoder.jpeg.arith_code) {
    check_density(size, decoder.size);
    return;
  }
  const std::int64_t blocks = ((size.width + 7) / 8) * ((size.height + 7) / 8);
  VITRAIN_CHECK_DATA(
      static_cast<std::size_t>(blocks) <= decoder.size * 8,
      "damaged JPEG: {} bytes cannot hold {} x {} pixels",
      decoder.size,
      size.width,
      size.height);
}

// Counts the scans from the first one on by their markers.
int count_scans(Bytes data) {
  int scans = 1;
  std::size_t at = 0;
  while (at + 4 <= data.size()) {
    const void* found = std::memchr(data.data() + at, 0xFF, data.size() - at);
    if (found == nullptr) {
      break;
    }
    at = static_cast<std::size_t>(
        static_cast<const std::uint8_t*>(found) - data.data());
    const int marker = at + 1 < data.size() ? data[at + 1] : 0xD9;
    if (marker == 0xD9) {
      break; // the end of the image
    }
    if (marker == 0xFF) {
      ++at; // fill bytes
    } else if (marker == 0x00 || (marker >= 0xD0 && marker <= 0xD7)) {
      at += 2; // a stuffed data byte 0xFF, or a restart marker
    } else if (at + 4 <= data.size()) {
      scans += marker == 0xDA ? 1 : 0;
      at += 2 + (std::size_t{data[at + 2]} << 8 | data[at + 3]);
    }
  }
  return scans;
}

// Throws Error(kData) if there are too many scans: a file of a few kilobytes
// can contain thousands of scans of a large image, each of which takes as long
// to decode as a whole baseline file.
void check_scans(const Decoder& decoder) {
  const jpeg_source_mgr& source = *decoder.jpeg.src;
  const int scans =
      count_scans({source.next_input_byte, source.bytes_in_buffer});
  VITRAIN_CHECK_DATA(
      scans <= decoder.max_scans,
      "damaged JPEG: it has {} scans, more than the limit of {}",
      scans,
      decoder.max_scans);
}

// Converts CMYK to RGB. Adobe stores CMYK inverted, and other readers assume
// that for every file.
void inverted_cmyk_to_rgb(const std::vector<std::uint8_t>& cmyk, Image& image) {
  const std::size_t pixels = cmyk.size() / 4;
  for (std::size_t i = 0; i < pixels; ++i) {
    std::array<std::uint8_t, 4> ink{};
    for (std::size_t c = 0; c < ink.size(); ++c) {
      ink[c] = static_cast<std::uint8_t>(255 - cmyk[i * 4 + c]);
    }
    cmyk_to_rgb(ink.data(), image.pixels.data() + i * 3);
  }
}

} // namespace

Size jpeg_size(Bytes bytes) {
  Decoder decoder;
  const Cleanup cleanup{decoder};
  open(decoder, bytes);
  return size_of(decoder);
}

Image decode_jpeg(Bytes bytes, const DecodeOptions& options) {
  Decoder decoder;
  const Cleanup cleanup{decoder};
  open(decoder, bytes);
  const Size size = size_of(decoder);
  check_size(size, options);
  check_plausible(decoder);
  decoder.max_scans = options.max_scans;
  if (jpeg_has_multiple_scans(&decoder.jpeg)) {
    check_scans(decoder);
  }

  Image image = blank(size);
  if (decoder.jpeg.out_color_space == JCS_CMYK) {
    std::vector<std::uint8_t> cmyk(image.pixels.size() / 3 * 4);
    decoder.pixels = cmyk.data();
    run(decoder, read_pixels);
    inverted_cmyk_to_rgb(cmyk, image);
  } else {
    decoder.pixels = image.pixels.data();
    run(decoder, read_pixels);
  }
  image.warnings = decoder.warnings;
  return image;
}

} // namespace vitrain::image::detail

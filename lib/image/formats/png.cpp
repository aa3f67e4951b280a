#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "core/check.h"
#include "core/text.h"
#include "image/formats/formats.h"
#include "image/formats/levels.h"
#include "image/operations/channels.h"

namespace vitrain::image::detail {
namespace {

// State of one decoder. Trivially destructible, because libpng reports errors
// by longjmp.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf on_error{};
  char message[128] = {};
  int warnings = 0;
  bool ended_early = false;
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t offset = 0;
  // Set by expect_end(): end of the last IDAT chunk as a file offset (0: no
  // limit yet), and the number of bytes up to it that may still be read. While
  // it reads the last row, libpng also unpacks surplus data.
  std::size_t pixels_end = 0;
  std::size_t left = 0;
  // Header; valid after read_header().
  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int depth = 0;
  int colour = 0;
  bool interlaced = false;
  int passes = 1;
  std::uint8_t palette[256][3] = {};
  // Output of read_row and read_image.
  std::uint8_t* rows = nullptr;
  std::size_t stride = 0;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(decoder.message, sizeof(decoder.message), "%s", message);
  std::longjmp(decoder.on_error, 1);
}

void on_warning(png_structp png, png_const_charp) {
  ++static_cast<Decoder*>(png_get_error_ptr(png))->warnings;
}

// Limits the data after the last row; call it before that row is read.
void expect_end(Decoder& decoder) {
  constexpr std::size_t kMostSurplus = 32768; // unpacks to 33 MB at most
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kAround = 12; // length, kind and checksum of a chunk
  decoder.left = kMostSurplus + decoder.stride;
  for (std::size_t at = kSignature; at + kAround <= decoder.size;) {
    const std::size_t next = at + kAround + png_get_uint_32(decoder.bytes + at);
    if (std::memcmp(decoder.bytes + at + 4, "IDAT", 4) == 0) {
      decoder.pixels_end = next;
    }
    at = next;
  }
}

void on_read(png_structp png, png_bytep out, std::size_t size) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (size > decoder.size - decoder.offset) {
    decoder.ended_early = true;
    png_error(png, "the file is truncated");
  }
  if (decoder.offset < decoder.pixels_end) {
    if (size > decoder.left) {
      png_error(png, "more than the limit of 32768 bytes behind its pixels");
    }
    decoder.left -= size;
  }
  std::memcpy(out, decoder.bytes + decoder.offset, size);
  decoder.offset += size;
}

// Runs `step` and returns false if libpng reported an error. `step` must be a C
// function: there must be no destructor between it and the longjmp.
bool guarded(Decoder& decoder, void (*step)(Decoder&)) {
  if (setjmp(decoder.on_error) != 0) {
    return false;
  }
  step(decoder);
  return true;
}

void create(Decoder& decoder) {
  decoder.png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.png != nullptr) {
    decoder.info = png_create_info_struct(decoder.png);
  }
}

void read_header(Decoder& decoder) {
  png_structp png = decoder.png;
  png_set_read_fn(png, &decoder, on_read);
  // The caller checks sizes, with its own limit and message.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // Ignores texts, profiles and other metadata without decompressing them.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, decoder.info);
  int interlace = 0;
  png_get_IHDR(
      png,
      decoder.info,
      &decoder.width,
      &decoder.height,
      &decoder.depth,
      &decoder.colour,
      &interlace,
      nullptr,
      nullptr);
  decoder.interlaced = interlace != PNG_INTERLACE_NONE;
  png_colorp colours = nullptr;
  int count = 0;
  if (png_get_PLTE(png, decoder.info, &colours, &count) != 0) {
    for (int i = 0; i < count && i < 256; ++i) {
      decoder.palette[i][0] = colours[i].red;
      decoder.palette[i][1] = colours[i].green;
      decoder.palette[i][2] = colours[i].blue;
    }
  }
}

void start(Decoder& decoder) {
  // One byte per sample for depths 1, 2 and 4, without changing its value.
  png_set_packing(decoder.png);
  decoder.passes = png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
}

void read_row(Decoder& decoder) {
  png_read_row(decoder.png, decoder.rows, nullptr);
}

void read_interlaced(Decoder& decoder) {
  for (int pass = 0; pass < decoder.passes; ++pass) {
    for (png_uint_32 y = 0; y < decoder.height; ++y) {
      if (pass + 1 == decoder.passes && y + 1 == decoder.height) {
        expect_end(decoder);
      }
      png_read_row(decoder.png, decoder.rows + y * decoder.stride, nullptr);
    }
  }
}

void read_end(Decoder& decoder) {
  png_read_end(decoder.png, nullptr);
}

struct Cleanup {
  Decoder& decoder;
  ~Cleanup() { png_destroy_read_struct(&decoder.png, &decoder.info, nullptr); }
};

[[noreturn]] void fail_with_message(const Decoder& decoder) {
  fail_data("damaged PNG: {}", printable(decoder.message));
}

void run(Decoder& decoder, void (*step)(Decoder&)) {
  if (!guarded(decoder, step)) {
    fail_with_message(decoder);
  }
}

int channels_of(int colour) {
  switch (colour) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      return 1;
  }
}

Size size_of(const Decoder& decoder) {
  return {decoder.width, decoder.height};
}

void open(Decoder& decoder, Bytes bytes) {
  decoder.bytes = bytes.data();
  decoder.size = bytes.size();
  run(decoder, create);
  VITRAIN_CHECK(
      decoder.info != nullptr, ExitCode::kOutOfMemory, "libpng: out of memory");
  run(decoder, read_header);
}

// Throws Error(kData) if the file is too small for the image, before memory is
// allocated: deflate packs at most 1032 bytes into one (zlib's technical
// notes).
void check_plausible(const Decoder& decoder) {
  const std::uint64_t row_bits = std::uint64_t{decoder.width} *
      static_cast<unsigned>(channels_of(decoder.colour) * decoder.depth);
  const std::uint64_t bytes = (row_bits + 7) / 8 * decoder.height;
  VITRAIN_CHECK_DATA(
      bytes / 1032 <= decoder.size,
      "damaged PNG: {} bytes cannot hold {} x {} pixels",
      decoder.size,
      decoder.width,
      decoder.height);
}

// Reads a sample of 16 bits.
std::uint16_t wide_value(const std::uint8_t* sample) {
  return static_cast<std::uint16_t>(sample[0] << 8 | sample[1]);
}

// Converts one grey sample as Pillow does: 1, 2 and 4 bits are scaled to [0,
// 255]; 16 bits are clipped at 255 (its mode I;16), or scaled with a range.
std::uint8_t
grey_value(const Decoder& decoder, const std::uint8_t* sample, Levels& levels) {
  switch (decoder.depth) {
    case 1:
      return static_cast<std::uint8_t>(sample[0] * 255);
    case 2:
      return static_cast<std::uint8_t>(sample[0] * 85);
    case 4:
      return static_cast<std::uint8_t>(sample[0] * 17);
    case 16:
      return levels.grey(wide_value(sample));
    default:
      return sample[0];
  }
}

// Converts one row of samples to RGB. Colours and grey with alpha of 16 bits
// keep their high byte, or are scaled with a range; alpha is dropped.
void convert_row(
    const Decoder& decoder,
    const std::uint8_t* samples,
    std::uint8_t* rgb,
    Levels& levels) {
  const bool wide = decoder.depth == 16;
  const int sample_bytes = wide ? 2 : 1;
  const auto level = [&](const std::uint8_t* sample) {
    return wide ? levels.colour(wide_value(sample)) : sample[0];
  };
  const int step = channels_of(decoder.colour) * sample_bytes;
  for (png_uint_32 x = 0; x < decoder.width; ++x, samples += step, rgb += 3) {
    switch (decoder.colour) {
      case PNG_COLOR_TYPE_PALETTE:
        std::memcpy(rgb, decoder.palette[samples[0]], 3);
        break;
      case PNG_COLOR_TYPE_GRAY:
        std::memset(rgb, grey_value(decoder, samples, levels), 3);
        break;
      case PNG_COLOR_TYPE_GRAY_ALPHA:
        std::memset(rgb, level(samples), 3);
        break;
      default:
        for (int c = 0; c < 3; ++c) {
          rgb[c] =
              level(samples + static_cast<std::ptrdiff_t>(c) * sample_bytes);
        }
    }
  }
}

} // namespace

Size png_size(Bytes bytes) {
  Decoder decoder;
  const Cleanup cleanup{decoder};
  open(decoder, bytes);
  return size_of(decoder);
}

namespace {

// Calls take(y, samples) with each row of samples; returns the number of
// defects.
int read_rows(Decoder& decoder, const auto& take) {
  run(decoder, start);
  decoder.stride = png_get_rowbytes(decoder.png, decoder.info);
  // Interlaced passes update all rows repeatedly; otherwise memory for a single
  // row is enough.
  std::vector<std::uint8_t> rows(
      decoder.stride * (decoder.interlaced ? decoder.height : 1));
  decoder.rows = rows.data();
  if (decoder.interlaced) {
    run(decoder, read_interlaced);
  }
  for (png_uint_32 y = 0; y < decoder.height; ++y) {
    if (!decoder.interlaced) {
      if (y + 1 == decoder.height) {
        expect_end(decoder);
      }
      run(decoder, read_row);
    }
    take(y, rows.data() + (decoder.interlaced ? y * decoder.stride : 0));
  }
  // After the last row, a wrong checksum is an error; a truncated file is a
  // defect that does not affect the pixels.
  if (!guarded(decoder, read_end) && !decoder.ended_early) {
    fail_with_message(decoder);
  }
  return decoder.warnings + (decoder.ended_early ? 1 : 0);
}

} // namespace

Image decode_png(Bytes bytes, const DecodeOptions& options) {
  Decoder decoder;
  const Cleanup cleanup{decoder};
  open(decoder, bytes);
  check_size(size_of(decoder), options);
  check_plausible(decoder);
  Image image = blank(size_of(decoder));
  const std::size_t stride = std::size_t{decoder.width} * 3;
  Levels levels(options.range);
  image.warnings =
      read_rows(decoder, [&](std::size_t y, const std::uint8_t* samples) {
        convert_row(decoder, samples, image.pixels.data() + y * stride, levels);
      });
  image.clipped = levels.clipped();
  return image;
}

std::vector<Image>
decode_png_channels(Bytes bytes, int channels, const DecodeOptions& options) {
  Decoder decoder;
  const Cleanup cleanup{decoder};
  open(decoder, bytes);
  VITRAIN_CHECK_DATA(
      channels_of(decoder.colour) == channels,
      "its pixels have {} channels, and {} are wanted",
      decoder.colour == PNG_COLOR_TYPE_PALETTE ? 3
                                               : channels_of(decoder.colour),
      channels);
  VITRAIN_CHECK_DATA(
      decoder.depth == 8,
      "unsupported PNG: samples of {} bits; of images with {} channels they "
      "have 8",
      decoder.depth,
      channels);
  check_size(size_of(decoder), options);
  check_plausible(decoder);
  std::vector<Image> pictures = blank_pictures(size_of(decoder), channels);
  const std::size_t width = decoder.width;
  pictures.front().warnings =
      read_rows(decoder, [&](std::size_t y, const std::uint8_t* samples) {
        split_channels(
            {samples, width * static_cast<std::size_t>(channels)},
            channels,
            pictures,
            y * width);
      });
  return pictures;
}

} // namespace vitrain::image::detail

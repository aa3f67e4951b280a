#include "image/jpeg/jpeg_write.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

// jpeglib.h needs size_t and FILE declared before it.
#include <jpeglib.h>

#include "core/check.h"

namespace vitrain::image {
namespace {

// State of one file. Trivially destructible, because libjpeg reports errors by
// longjmp.
struct JpegOutput {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf on_error{};
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char* bytes = nullptr; // allocated by malloc()
  unsigned long size = 0;
};

[[noreturn]] void leave_output(j_common_ptr jpeg) {
  auto& output = *static_cast<JpegOutput*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, output.message);
  std::longjmp(output.on_error, 1);
}

// Encodes the image to output.bytes. Returns false if libjpeg reported an
// error. There is no destructor between setjmp and longjmp.
bool write_rows(JpegOutput& output, const Image& image, int quality) {
  if (setjmp(output.on_error) != 0) {
    return false;
  }
  jpeg_create_compress(&output.jpeg);
  jpeg_mem_dest(&output.jpeg, &output.bytes, &output.size);
  output.jpeg.image_width = static_cast<JDIMENSION>(image.width);
  output.jpeg.image_height = static_cast<JDIMENSION>(image.height);
  output.jpeg.input_components = 3;
  output.jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&output.jpeg);
  jpeg_set_quality(&output.jpeg, quality, /*force_baseline=*/TRUE);
  output.jpeg.optimize_coding = TRUE;
  jpeg_start_compress(&output.jpeg, TRUE);
  while (output.jpeg.next_scanline < output.jpeg.image_height) {
    auto* row = const_cast<JSAMPROW>(
        image.pixels.data() +
        static_cast<std::size_t>(output.jpeg.next_scanline) *
            static_cast<std::size_t>(image.width) * 3);
    jpeg_write_scanlines(&output.jpeg, &row, 1);
  }
  jpeg_finish_compress(&output.jpeg);
  return true;
}

} // namespace

std::string encode_jpeg(const Image& image, int quality) {
  JpegOutput output;
  output.jpeg.err = jpeg_std_error(&output.errors);
  output.jpeg.client_data = &output;
  output.errors.error_exit = leave_output;
  const bool written = write_rows(output, image, quality);
  jpeg_destroy_compress(&output.jpeg);
  std::string file;
  if (written) {
    file.assign(reinterpret_cast<const char*>(output.bytes), output.size);
  }
  std::free(output.bytes);
  VITRAIN_CHECK(
      written,
      ExitCode::kInternal,
      "cannot write a JPEG of {} x {} pixels: {}",
      image.width,
      image.height,
      output.message);
  return file;
}

} // namespace vitrain::image

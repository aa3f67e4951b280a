#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/system/cpu.h"
#include "image/formats/decode.h"
#include "image/image.h"

namespace vitrain::image {

// Decodes images, and of plain JPEG files only the part that is asked for, with
// the pixels of decode() to the last bit. Buffers stay from image to image: one
// object per thread. Images take their part of DecodeOptions::memory, so that
// open() and decode() may wait for other threads, and a thread has one open
// image at a time.
class Decoder {
 public:
  // Throws Error(kInternal) for an instruction set that this machine lacks.
  explicit Decoder(const DecodeOptions& options = {}, Simd simd = best_simd());
  ~Decoder();
  Decoder(Decoder&& other) noexcept;
  Decoder& operator=(Decoder&& other) noexcept;

  // Reads the header of a file, or all of it where the header alone does not
  // allow to decode a part. `bytes` must stay until the last part was decoded.
  // Throws what decode() throws.
  void open(std::span<const std::uint8_t> bytes);
  int width() const;
  int height() const;

  struct Part : ImagePart {
    // As in Image, for the part of the file that was read.
    int warnings = 0;
    bool clipped = false;
  };
  // At least the pixels of `needed`, which lies inside the image; valid until
  // the next call. Throws what decode() throws, if the damage lies in the part
  // of the file that is read or cuts off its end.
  Part decode(const Rect& needed);
  // Gives memory back for other images; parts are not valid any more.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace vitrain::image

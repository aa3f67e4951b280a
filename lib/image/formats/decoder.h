#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/system/cpu.h"
#include "image/formats/decode.h"
#include "image/image.h"

namespace vitrain::image {

// Decodes images; of plain (read_plain_jpeg()) and packed JPEG files that need
// no rotation only the requested part. Pixels equal those of decode() exactly.
// Buffers are reused from image to image: use one object per thread. An open
// image reserves part of DecodeOptions::memory, so open() and decode() may wait
// for other threads, and a thread may have only one image open at a time.
class Decoder {
 public:
  // Throws Error(kInternal) if this machine lacks the instruction set.
  explicit Decoder(const DecodeOptions& options = {}, Simd simd = best_simd());
  ~Decoder();
  Decoder(Decoder&& other) noexcept;
  Decoder& operator=(Decoder&& other) noexcept;

  // Reads the header of a file, or decodes the whole file if its format does
  // not allow decoding of parts. `bytes` must stay valid until the last
  // decode(). Throws the same errors as image::decode().
  void open(std::span<const std::uint8_t> bytes);
  // Size of the open image in pixels, after rotation.
  int width() const;
  int height() const;

  struct Part : ImagePart {
    // Image::warnings and Image::clipped of the part of the file that was read.
    int warnings = 0;
    bool clipped = false;
  };
  // Returns at least the pixels of `needed`, which must be inside the image;
  // they are valid until the next call of open(), decode() or close(). Throws
  // the same errors as image::decode() if the damage is in the part of the file
  // that is read, or if the file is truncated.
  Part decode(const Rect& needed);
  // Releases the memory reservation; results of decode() become invalid.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace vitrain::image

#include "image/formats/decoder.h"

#include <optional>
#include <vector>

#include "core/check.h"
#include "image/formats/decode_room.h"
#include "image/formats/exif.h"
#include "image/formats/formats.h"
#include "image/jpeg/jpeg_file.h"
#include "image/jpeg/jpeg_region.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image {

struct Decoder::State {
  State(const DecodeOptions& wanted, Simd simd)
      : options(wanted), region(detail::jpeg_kernels(simd)) {}

  // Returns the headers of a file that can be decoded in parts; null if it is
  // decoded as a whole.
  const detail::JpegFile* file() const {
    return packed ? &packed->file() : plain ? &*plain : nullptr;
  }
  bool decode_part(const Rect& needed) {
    if (packed) {
      region.decode(*packed, needed, pixels);
      return true;
    }
    return region.decode(*plain, bytes, needed, pixels);
  }

  void open_whole() {
    // Releases the current reservation before waiting for the next one.
    room = {};
    room = DecodeRoom(decode_bytes(bytes, options), options.memory);
    whole = {};
    whole = image::decode(bytes, options);
  }

  DecodeOptions options;
  DecodeRoom room;
  std::span<const std::uint8_t> bytes;
  std::optional<detail::JpegFile> plain;
  std::optional<detail::PackedJpeg> packed;
  Image whole; // image of a file that is decoded as a whole
  detail::JpegRegion region;
  std::vector<std::uint8_t> pixels; // pixels of a decoded part
};

Decoder::Decoder(const DecodeOptions& options, Simd simd) {
  VITRAIN_CHECK(
      simd <= best_simd(),
      ExitCode::kInternal,
      "this machine lacks the instructions that were asked for");
  state_ = std::make_unique<State>(options, simd);
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&& other) noexcept = default;
Decoder& Decoder::operator=(Decoder&& other) noexcept = default;

void Decoder::open(std::span<const std::uint8_t> bytes) {
  close();
  State& state = *state_;
  state.bytes = bytes;
  const bool upright =
      !state.options.exif_orientation || exif_orientation(bytes) == 1;
  if (upright && detail::is_packed_jpeg(bytes)) {
    state.packed.emplace(bytes);
  } else if (upright) {
    state.plain = detail::read_plain_jpeg(bytes, bytes.size());
  }
  if (const detail::JpegFile* file = state.file()) {
    detail::check_size({file->width, file->height}, state.options);
  } else {
    state.open_whole();
  }
}

void Decoder::close() {
  State& state = *state_;
  state.plain.reset();
  state.packed.reset();
  state.whole = {};
  // The buffer is kept from image to image, unless it is unusually large.
  constexpr std::size_t kMostKept = std::size_t{32} << 20;
  if (state.pixels.capacity() > kMostKept) {
    std::vector<std::uint8_t>().swap(state.pixels);
  }
  state.room.give_back();
}

int Decoder::width() const {
  const detail::JpegFile* file = state_->file();
  return file != nullptr ? file->width : state_->whole.width;
}

int Decoder::height() const {
  const detail::JpegFile* file = state_->file();
  return file != nullptr ? file->height : state_->whole.height;
}

Decoder::Part Decoder::decode(const Rect& needed) {
  State& state = *state_;
  if (state.file() != nullptr) {
    if (needed.width <= 0 || needed.height <= 0) {
      return {};
    }
    state.room.give_back();
    state.room = DecodeRoom(
        std::int64_t{3} * needed.width * needed.height, state.options.memory);
    if (state.decode_part(needed)) {
      const View view(state.pixels.data(), needed.width, needed.height);
      return {{view, needed.left, needed.top}};
    }
    // Damaged file: libjpeg decides what can be shown.
    state.plain.reset();
    state.open_whole();
  }
  return {{View(state.whole)}, state.whole.warnings, state.whole.clipped};
}

} // namespace vitrain::image

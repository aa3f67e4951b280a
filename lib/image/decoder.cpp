#include "image/decoder.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "image/exif.h"
#include "image/formats.h"
#include "image/jpeg_file.h"
#include "image/jpeg_region.h"

namespace vitrain::image {

struct Decoder::State {
  State(const DecodeOptions& wanted, Simd simd)
      : options(wanted), region(detail::jpeg_kernels(simd)) {}

  DecodeOptions options;
  std::span<const std::uint8_t> bytes;
  std::optional<detail::JpegFile> plain; // a JPEG file that parts are read of
  Image whole; // any other image
  detail::JpegRegion region;
  std::vector<std::uint8_t> pixels; // of a part
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
  State& state = *state_;
  state.bytes = bytes;
  state.plain = detail::read_plain_jpeg(bytes);
  if (state.plain && state.options.exif_orientation &&
      exif_orientation(bytes) != 1) {
    state.plain.reset();
  }
  if (state.plain) {
    detail::check_size(
        {state.plain->width, state.plain->height}, state.options);
  } else {
    state.whole = image::decode(bytes, state.options);
  }
}

int Decoder::width() const {
  return state_->plain ? state_->plain->width : state_->whole.width;
}

int Decoder::height() const {
  return state_->plain ? state_->plain->height : state_->whole.height;
}

Decoder::Part Decoder::decode(const Rect& needed) {
  State& state = *state_;
  if (state.plain) {
    if (needed.width <= 0 || needed.height <= 0) {
      return {};
    }
    if (state.region.decode(*state.plain, state.bytes, needed, state.pixels)) {
      Part part;
      part.view.pixels = state.pixels.data();
      part.view.width = needed.width;
      part.view.height = needed.height;
      part.view.stride = static_cast<std::size_t>(needed.width) * 3;
      part.left = needed.left;
      part.top = needed.top;
      return part;
    }
    // Damaged: libjpeg decides what can be shown.
    state.plain.reset();
    state.whole = image::decode(state.bytes, state.options);
  }
  Part part;
  part.view = View(state.whole);
  part.warnings = state.whole.warnings;
  return part;
}

} // namespace vitrain::image

#include "fuzz/image.h"

void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  fuzz_format(input, image::detail::avif_size, image::detail::decode_avif);
}

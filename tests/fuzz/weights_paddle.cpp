#include "fuzz/archive.h"

void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  fuzz_archive(input);
}

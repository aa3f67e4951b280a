#include "fuzz/fuzz.h"
#include "image/formats/exif.h"

void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  const int orientation = image::exif_orientation(input);
  expect(orientation >= 1 && orientation <= 8, "one of eight");
}

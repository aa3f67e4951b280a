#include "image/operations/grey.h"

#include <array>

#include <gtest/gtest.h>

namespace vitrain::image {
namespace {

// Image.new("RGB", (1, 1), (r, g, b)).convert("L") of Pillow 12.
TEST(Grey, RoundsAsPillow) {
  constexpr std::array<std::array<std::uint8_t, 4>, 8> kCases{{
      {255, 0, 0, 76},
      {0, 255, 0, 150},
      {0, 0, 255, 29},
      {255, 255, 0, 226},
      {1, 2, 3, 2},
      {200, 100, 50, 124},
      {13, 77, 201, 72},
      {254, 255, 253, 254},
  }};
  for (const auto& [red, green, blue, luma] : kCases) {
    const std::array<std::uint8_t, 3> rgb{red, green, blue};
    std::array<std::uint8_t, 1> grey{};
    to_grey(rgb, grey);
    EXPECT_EQ(grey[0], luma);
  }
}

TEST(Grey, KeepsGreyPixels) {
  for (int value = 0; value < 256; ++value) {
    const auto v = static_cast<std::uint8_t>(value);
    const std::array<std::uint8_t, 6> rgb{v, v, v, v, v, v};
    std::array<std::uint8_t, 2> grey{};
    to_grey(rgb, grey);
    EXPECT_EQ(grey[0], v);
    EXPECT_EQ(grey[1], v);
  }
}

} // namespace
} // namespace vitrain::image

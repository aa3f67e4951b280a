#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vitrain::image::detail {

// A Huffman table as a DHT segment gives it (ITU-T T.81, B.2.4.2).
struct HuffmanSpec {
  std::array<std::uint8_t, 16> counts{}; // codes of each length 1 to 16
  std::array<std::uint8_t, 256> symbols{}; // in order of their codes
  bool defined = false;

  bool operator==(const HuffmanSpec&) const = default;
};

struct JpegComponent {
  int id = 0;
  int h = 1; // sampling factors: blocks of an MCU
  int v = 1;
  int quant = 0; // indexes of tables
  int dc_table = 0;
  int ac_table = 0;
  int width = 0; // samples that belong to the image
  int height = 0;
};

// Headers of a plain JPEG file.
struct JpegFile {
  int width = 0;
  int height = 0;
  int components = 0; // 1: grey; 3: Y, Cb, Cr
  std::array<JpegComponent, 3> component{};
  int mcus_x = 0; // minimum coded units: blocks of all components together
  int mcus_y = 0;
  int restart_interval = 0; // MCUs between restart markers; 0: none
  std::array<std::array<std::uint16_t, 64>, 4> quant{}; // in zigzag order
  std::array<HuffmanSpec, 4> dc{};
  std::array<HuffmanSpec, 4> ac{};
  std::size_t scan_begin = 0; // offset of the first entropy-coded byte

  // Pixels of an MCU.
  int mcu_width() const { return 8 * component[0].h; }
  int mcu_height() const { return 8 * component[0].v; }
};

// Position in a block's rows of the coefficient with each zigzag index (T.81,
// figure A.6).
inline constexpr std::array<std::uint8_t, 64> kZigzag = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Reads the headers of a baseline JPEG with one scan: grey, or YCbCr with
// chroma at full or half resolution in either direction. Returns nullopt for
// other and damaged files, which are left to libjpeg. Never throws. `size`:
// size of the whole file, if `bytes` are only its begin.
std::optional<JpegFile> read_plain_jpeg(
    std::span<const std::uint8_t> bytes,
    std::size_t size);

} // namespace vitrain::image::detail

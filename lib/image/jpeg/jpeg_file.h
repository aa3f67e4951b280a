#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vitrain::image::detail {

// A Huffman table as stored in a DHT segment (ITU-T T.81, B.2.4.2).
struct HuffmanSpec {
  // Number of codes of each length, 1 to 16 bits.
  std::array<std::uint8_t, 16> counts{};
  std::array<std::uint8_t, 256> symbols{}; // in order of their codes
  bool defined = false;

  bool operator==(const HuffmanSpec&) const = default;
};

struct JpegComponent {
  int id = 0;
  int h = 1; // horizontal sampling factor: blocks per MCU
  int v = 1;
  int quant = 0; // index of the quantisation table
  int dc_table = 0; // index of the Huffman table of DC coefficients
  int ac_table = 0; // index of the Huffman table of AC coefficients
  int width = 0; // in samples, without padding
  int height = 0; // in samples, without padding
};

// Headers of a plain JPEG file: one that read_plain_jpeg() accepts.
struct JpegFile {
  int width = 0;
  int height = 0;
  int components = 0; // 1: grey; 3: Y, Cb, Cr
  std::array<JpegComponent, 3> component{};
  int mcus_x = 0; // number of minimum coded units (MCUs) per row
  int mcus_y = 0;
  int restart_interval = 0; // MCUs between restart markers; 0: none
  std::array<std::array<std::uint16_t, 64>, 4> quant{}; // in zigzag order
  std::array<HuffmanSpec, 4> dc{};
  std::array<HuffmanSpec, 4> ac{};
  std::size_t scan_begin = 0; // offset of the first entropy-coded byte

  // Size of an MCU in pixels.
  int mcu_width() const { return 8 * component[0].h; }
  int mcu_height() const { return 8 * component[0].v; }
};

// Maps a zigzag index to the position of its coefficient in a block in row
// order (T.81, figure A.6).
inline constexpr std::array<std::uint8_t, 64> kZigzag = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Reads the headers of a baseline JPEG with one scan: grey, or YCbCr with
// chroma at full or half resolution in either direction. Returns nullopt for
// all other and for damaged files, which libjpeg must decode. Never throws.
// `size`: size of the whole file; `bytes` may be only its beginning, at least
// up to the entropy-coded data.
std::optional<JpegFile> read_plain_jpeg(
    std::span<const std::uint8_t> bytes,
    std::size_t size);

} // namespace vitrain::image::detail

#include "image/jpeg/jpeg_file.h"

#include <algorithm>
#include <string_view>

namespace vitrain::image::detail {

namespace {

using Bytes = std::span<const std::uint8_t>;

enum Marker : std::uint8_t {
  kSof0 = 0xC0, // baseline
  kSof1 = 0xC1, // extended sequential; equal to baseline for 8 bits
  kDht = 0xC4,
  kDac = 0xCC,
  kSoi = 0xD8,
  kSos = 0xDA,
  kDqt = 0xDB,
  kDri = 0xDD,
  kApp0 = 0xE0,
  kApp14 = 0xEE,
  kCom = 0xFE,
};

int u16(Bytes bytes, std::size_t at) {
  return bytes[at] << 8 | bytes[at + 1];
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
      std::equal(text.begin(), text.end(), bytes.begin());
}

// Properties, in addition to component names, that determine the colour space
// (as in libjpeg's default_decompress_parms).
struct ColourHints {
  bool jfif = false;
  int adobe_transform = -1; // -1: no Adobe segment
};

bool read_quant(Bytes body, JpegFile& file) {
  while (!body.empty()) {
    const int index = body[0] & 15;
    const bool wide = body[0] >> 4 != 0;
    if (wide || index > 3 || body.size() < 65) {
      return false;
    }
    for (std::size_t i = 0; i < 64; ++i) {
      file.quant[index][i] = body[1 + i];
      if (body[1 + i] == 0) {
        return false;
      }
    }
    body = body.subspan(65);
  }
  return true;
}

// Returns true if the code lengths form a prefix code.
bool is_prefix_code(const HuffmanSpec& spec) {
  int free_codes = 1;
  for (const int count : spec.counts) {
    free_codes = 2 * free_codes - count;
    // The code of all ones is reserved.
    if (free_codes < 1) {
      return false;
    }
  }
  return true;
}

bool read_huffman(Bytes body, JpegFile& file) {
  while (!body.empty()) {
    const int index = body[0] & 15;
    const int type = body[0] >> 4;
    if (type > 1 || index > 3 || body.size() < 17) {
      return false;
    }
    HuffmanSpec spec;
    std::size_t symbols = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      spec.counts[i] = body[1 + i];
      symbols += body[1 + i];
    }
    if (symbols > 256 || body.size() < 17 + symbols || !is_prefix_code(spec)) {
      return false;
    }
    const Bytes values = body.subspan(17, symbols);
    // Value sizes are 0 to 11 bits for DC differences, at most 10 for AC
    // coefficients.
    const int largest = type == 0 ? 11 : 10;
    for (const std::uint8_t value : values) {
      if ((type == 0 ? value : value & 15) > largest) {
        return false;
      }
    }
    std::copy(values.begin(), values.end(), spec.symbols.begin());
    spec.defined = true;
    (type == 0 ? file.dc : file.ac)[index] = spec;
    body = body.subspan(17 + symbols);
  }
  return true;
}

// Returns the number of samples of a component along one axis.
int samples(int pixels, int factor, int largest) {
  return (pixels * factor + largest - 1) / largest;
}

bool read_frame(Bytes body, JpegFile& file) {
  if (body.size() < 6 || body[0] != 8) {
    return false;
  }
  file.height = u16(body, 1);
  file.width = u16(body, 3);
  file.components = body[5];
  if (file.height == 0 || file.width == 0 ||
      (file.components != 1 && file.components != 3) ||
      body.size() != 6 + 3 * static_cast<std::size_t>(file.components)) {
    return false;
  }
  for (int i = 0; i < file.components; ++i) {
    const Bytes from = body.subspan(6 + 3 * static_cast<std::size_t>(i), 3);
    JpegComponent& component = file.component[i];
    component.id = from[0];
    component.h = from[1] >> 4;
    component.v = from[1] & 15;
    component.quant = from[2];
    if (component.quant > 3) {
      return false;
    }
  }
  if (file.components == 1) {
    // A scan of one component has one block per MCU, whatever its sampling
    // factors are.
    file.component[0].h = 1;
    file.component[0].v = 1;
  }
  const int h = file.component[0].h;
  const int v = file.component[0].v;
  if (h < 1 || h > 2 || v < 1 || v > 2) {
    return false;
  }
  for (int i = 1; i < file.components; ++i) {
    if (file.component[i].h != 1 || file.component[i].v != 1) {
      return false;
    }
  }
  for (int i = 0; i < file.components; ++i) {
    JpegComponent& component = file.component[i];
    component.width = samples(file.width, component.h, h);
    component.height = samples(file.height, component.v, v);
  }
  // libjpeg does not smooth chroma that is at most 2 samples wide, but repeats
  // its samples.
  if (file.components == 3 && h == 2 && file.component[1].width <= 2) {
    return false;
  }
  file.mcus_x = samples(file.width, 1, file.mcu_width());
  file.mcus_y = samples(file.height, 1, file.mcu_height());
  return true;
}

bool read_scan(Bytes body, JpegFile& file) {
  const auto count = static_cast<std::size_t>(file.components);
  if (count == 0 || body.size() != 4 + 2 * count || body[0] != count) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    JpegComponent& component = file.component[i];
    component.dc_table = body[2 + 2 * i] >> 4;
    component.ac_table = body[2 + 2 * i] & 15;
    if (body[1 + 2 * i] != component.id || component.dc_table > 3 ||
        component.ac_table > 3 || !file.dc[component.dc_table].defined ||
        !file.ac[component.ac_table].defined ||
        file.quant[component.quant][0] == 0) {
      return false;
    }
  }
  // Requires all 64 coefficients in one scan at full precision.
  const Bytes spectral = body.subspan(1 + 2 * count);
  return spectral[0] == 0 && spectral[1] == 63 && spectral[2] == 0;
}

bool is_ycbcr(const JpegFile& file, const ColourHints& hints) {
  if (file.components == 1 || hints.jfif) {
    return true;
  }
  if (hints.adobe_transform >= 0) {
    return hints.adobe_transform == 1;
  }
  const auto& c = file.component;
  return !(c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B');
}

// Returns false if the file is too small for the image, before memory is
// allocated: a block takes at least two codes of one bit.
bool is_plausible(const JpegFile& file, std::size_t size) {
  const std::uint64_t mcus =
      static_cast<std::uint64_t>(file.mcus_x) * file.mcus_y;
  return mcus * file.components * 2 <= size * 8;
}

// Reads one segment before the scan. Returns false if it makes the file
// non-plain.
bool read_segment(
    std::uint8_t marker,
    Bytes body,
    JpegFile& file,
    ColourHints& hints) {
  switch (marker) {
    case kSof0:
    case kSof1:
      return file.components == 0 && read_frame(body, file);
    case kDht:
      return read_huffman(body, file);
    case kDqt:
      return read_quant(body, file);
    case kDri:
      file.restart_interval = body.size() == 2 ? u16(body, 0) : -1;
      return file.restart_interval >= 0;
    case kApp0:
      hints.jfif |=
          body.size() >= 14 && starts_with(body, std::string_view("JFIF\0", 5));
      return true;
    case kApp14:
      if (body.size() >= 12 && starts_with(body, "Adobe")) {
        hints.adobe_transform = body[11];
      }
      return true;
    default:
      return (marker >= kApp0 && marker <= 0xEF) || marker == kCom;
  }
}

} // namespace

std::optional<JpegFile> read_plain_jpeg(
    std::span<const std::uint8_t> bytes,
    std::size_t size) {
  JpegFile file;
  ColourHints hints;
  if (bytes.size() < 4 || bytes[0] != 0xFF || bytes[1] != kSoi) {
    return std::nullopt;
  }
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xFF) {
    const std::uint8_t marker = bytes[at + 1];
    if (marker == 0xFF) {
      ++at; // fill byte
      continue;
    }
    const auto length = static_cast<std::size_t>(u16(bytes, at + 2));
    if (length < 2 || length > bytes.size() - at - 2) {
      return std::nullopt;
    }
    const Bytes body = bytes.subspan(at + 4, length - 2);
    at += 2 + length;
    if (marker == kSos) {
      file.scan_begin = at;
      if (!read_scan(body, file) || !is_ycbcr(file, hints) ||
          !is_plausible(file, size)) {
        return std::nullopt;
      }
      return file;
    }
    if (!read_segment(marker, body, file, hints)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

} // namespace vitrain::image::detail

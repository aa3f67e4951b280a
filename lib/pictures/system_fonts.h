#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pictures/face.h"

namespace vitrain::pictures {

// A font of this machine: a file, and the index of the font in it.
struct FontFile {
  std::filesystem::path path;
  int number = 0;
};

// Returns the folders that may contain fonts: $XDG_DATA_HOME/fonts or
// ~/.local/share/fonts, /usr/local/share/fonts, /usr/share/fonts.
std::vector<std::filesystem::path> font_folders();

// Searches the folders recursively for fonts that are known by name to have
// characters that DejaVu Sans lacks (Chinese, Japanese, Korean); the best one
// comes first.
std::vector<FontFile> known_fonts(
    std::span<const std::filesystem::path> folders);

// Returns the offset of font `number` in a file if every table used for drawing
// is inside the file and has a valid checksum (`head`, whose checksum is often
// wrong: valid values); nullopt if the file is not a font, truncated or
// damaged. (Checksums do not protect against malicious files.)
std::optional<std::size_t> whole_face(
    std::span<const std::uint8_t> bytes,
    int number);

// A font with its bytes, whose address does not change when the struct is
// moved; `face` is null if the file cannot be read or is not a complete font.
struct LoadedFont {
  std::string bytes;
  std::unique_ptr<Face> face;
};
LoadedFont load_font(const FontFile& file);

} // namespace vitrain::pictures

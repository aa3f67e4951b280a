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

// A font of this machine: a file, and which of its fonts where it has several.
struct FontFile {
  std::filesystem::path path;
  int number = 0;
};

// Where fonts are: the user's folder, /usr/local/share/fonts, /usr/share/fonts.
std::vector<std::filesystem::path> font_folders();

// Those in folders, and folders within, that are known to have letters which
// DejaVu Sans lacks (Chinese, Japanese, Korean): best first, by their names.
std::vector<FontFile> known_fonts(
    std::span<const std::filesystem::path> folders);

// Where font `number` of a file begins, if every table that letters are drawn
// from lies in the file and has its checksum; absent: the file is no font, cut
// off or damaged. (Bytes that somebody makes up to do harm can have checksums.)
std::optional<std::size_t> whole_face(
    std::span<const std::uint8_t> bytes,
    int number);

// A font with its bytes, whose place stays when it is moved; face is null where
// they are no whole font.
struct LoadedFont {
  std::string bytes;
  std::unique_ptr<Face> face;
};
LoadedFont load_font(const FontFile& file);

} // namespace vitrain::pictures

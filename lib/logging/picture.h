#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::logging {

// Content of a PNG file, with its size.
struct Picture {
  std::string png;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// Reads a PNG file and the size in its header; nullopt if the file does not
// exist or is no PNG. Throws Error(kStorage) if it cannot be read.
std::optional<Picture> read_png(const std::filesystem::path& path);

} // namespace vitrain::logging

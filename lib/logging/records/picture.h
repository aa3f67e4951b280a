#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::logging {

// A PNG file.
struct Picture {
  std::string png;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// One with the size that its header says; absent where there is none. Throws
// Error(kStorage) for one that cannot be read.
std::optional<Picture> read_png(const std::filesystem::path& path);

} // namespace vitrain::logging

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/files.h"
#include "weights/header.h"

namespace vitrain::weights {

inline constexpr std::int64_t kLengthBytes = 8; // in front of the header

// A .safetensors file whose header has been read and checked: names, types,
// shapes, metadata. Throws Error(kWeights) naming the file.
struct WeightsFile {
  std::string source; // its path, for messages
  Fd fd;
  std::int64_t start = 0; // of the data
  Header header;

  explicit WeightsFile(const std::filesystem::path& path);
  // Reads [offset, offset + size) of the data into `bytes`. Throws likewise.
  void read(void* bytes, std::int64_t size, std::int64_t offset) const;
};

} // namespace vitrain::weights

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/system/files.h"

namespace vitrain::weights {

// A regular file opened for reading. The constructor throws Error(kWeights)
// naming the file if it cannot be opened or is not a regular file.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);

  const std::string& source() const { return source_; } // path, for messages
  std::int64_t size() const { return size_; }
  // Returns a path that opens the same file again while this object lives, for
  // libraries that require a path.
  std::string descriptor_path() const;

  // Reads exactly [offset, offset + size) with pread, so that truncation of the
  // file in the meantime is an error and not a signal. Throws Error(kWeights)
  // naming the file.
  void read(void* bytes, std::int64_t size, std::int64_t offset) const;
  std::string read(std::int64_t size, std::int64_t offset) const;

 private:
  std::string source_;
  Fd fd_;
  std::int64_t size_ = 0;
};

} // namespace vitrain::weights

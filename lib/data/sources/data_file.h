#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/files.h"

namespace vitrain::data {

// A regular file that is open for reading at any place, by any number of
// threads.
class DataFile {
 public:
  // Throws Error(kData) that names the path. `use` describes the expected kind
  // of file, for paths that are no regular file.
  explicit DataFile(
      const std::filesystem::path& path,
      std::string_view before_reason = "",
      std::string_view use = "");

  int fd() const { return fd_.get(); }
  std::int64_t size() const { return size_; }
  const std::string& name() const { return name_; } // printable
  // Fills `into` with the bytes from `offset` on and returns their number:
  // fewer only at the file's end. Throws Error(kData) when they cannot be read.
  std::size_t read_at(std::int64_t offset, std::span<char> into) const;

 private:
  Fd fd_;
  std::string name_;
  std::int64_t size_ = 0;
};

// The names in a folder, called `what` in messages, that are wanted; in byte
// order. Throws Error(kData) when it cannot be read.
std::vector<std::string> names_in_folder(
    const std::filesystem::path& folder,
    std::string_view what,
    const std::function<bool(const std::string& name)>& wanted);

} // namespace vitrain::data

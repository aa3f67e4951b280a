#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/files.h"

namespace vitrain::data {

// A regular file, open for reading at any offset by any number of threads.
class DataFile {
 public:
  // Throws Error(kData) naming the path if it is no regular file or cannot be
  // opened. `before_reason` precedes the system's reason in that message; `use`
  // describes the expected kind of file.
  explicit DataFile(
      const std::filesystem::path& path,
      std::string_view before_reason = "",
      std::string_view use = "");

  int fd() const { return fd_.get(); }
  std::int64_t size() const { return size_; }
  const std::string& name() const { return name_; } // printable
  // Reads bytes from `offset` into `into` and returns their number, which is
  // smaller than into.size() only at the end of the file. Throws Error(kData)
  // if reading fails.
  std::size_t read_at(std::int64_t offset, std::span<char> into) const;

 private:
  Fd fd_;
  std::string name_;
  std::int64_t size_ = 0;
};

// Returns the names in a folder for which wanted(name) is true, in byte order.
// `what` describes the folder in messages. Throws Error(kData) if the folder
// cannot be read.
std::vector<std::string> names_in_folder(
    const std::filesystem::path& folder,
    std::string_view what,
    const std::function<bool(const std::string& name)>& wanted);

} // namespace vitrain::data

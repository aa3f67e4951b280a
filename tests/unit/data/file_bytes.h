#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/system/files.h"

namespace vitrain::data {

inline std::string bytes_of(const std::filesystem::path& path) {
  return read_file(path, 1 << 26, ExitCode::kData);
}

// The files below a folder, by their names in it.
inline std::map<std::string, std::string> files_in(
    const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).native()] =
          bytes_of(entry.path());
    }
  }
  return files;
}

} // namespace vitrain::data

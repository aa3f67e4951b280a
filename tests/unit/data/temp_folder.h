#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vitrain::data {

// An empty folder of its own for each test, gone afterwards.
class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "vitrain-data-XXXXXX")
            .native();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Creates a file, and the folders it lies in.
  std::filesystem::path write(
      const std::string& name,
      std::string_view bytes = "") const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::filesystem::path path_;
};

// A file of tests/golden/image/files.
inline std::filesystem::path image_file(const std::string& name) {
  return std::filesystem::path(VITRAIN_SOURCE_DIR) /
      "tests/golden/image/files" / name;
}

// The message of the Error(kData) that an action throws, or "" for none.
inline std::string data_error(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ExitCode::kData
        ? error.what()
        : std::string("not a data error: ") + error.what();
  }
  return "";
}

} // namespace vitrain::data

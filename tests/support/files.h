#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vitrain {

// An empty temporary folder with a unique name; the destructor removes it.
class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "vitrain-test-XXXXXX")
            .native();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make " + name);
    }
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  // Writes or replaces a file and creates its missing folders; does not check
  // for errors of writing. Returns the file's path.
  std::filesystem::path write(
      const std::string& name,
      std::string_view bytes = "") const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  std::filesystem::path path_;
};

// Writes or replaces a file, whose folder must exist. Throws on errors.
inline void write_bytes(
    const std::filesystem::path& file,
    std::string_view bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) {
    throw std::runtime_error("cannot write " + file.native());
  }
}

// Returns the content of a file; "" if it does not exist.
inline std::string slurp(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Returns the content of a file. Throws if the file does not exist.
inline std::string read_bytes(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    throw std::runtime_error("no " + file.native());
  }
  return slurp(file);
}

} // namespace vitrain

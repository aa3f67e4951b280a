#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/files/files.h"

namespace vitrain::results {

// A file of results that grows while they come, and replaces another one of
// its name when it is complete; until then it is called NAME.part. What is no
// regular file (a terminal, a pipe) is written to as it is, and so is standard
// output, which is called "-". Every method throws Error(kStorage) that names
// it.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  // Removes what is not complete.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // The file is complete.
  void finish();

 private:
  void check(int error, const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path part_; // or empty
  Fd fd_;
};

// What image::is_drawn_png() knows, for check_replaceable().
inline constexpr const char* kDrawn = "a picture that vitrain has drawn";

// Throws Error(kUsage) where `option` would replace a file that is not empty
// and none of what it writes: "a table", as `is_one` decides by the first
// bytes.
void check_replaceable(
    const char* option,
    const std::filesystem::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one);

} // namespace vitrain::results

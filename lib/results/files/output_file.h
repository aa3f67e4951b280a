#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/files/files.h"

namespace vitrain::results {

// A file of results that a user has named. It grows while they come, and
// replaces another one of its name when it is complete; until then it is called
// NAME.part-1a2b3c4d, which no file was called before. Symbolic links are
// followed and stay. What is no regular file (a terminal, a pipe, a link of
// /proc to an open file, as /dev/stdout is one) is written to as it is, and so
// is standard output, which is called "-". Every method throws Error(kStorage)
// that names it.
class OutputFile {
 public:
  // Waits for a reader where it is a pipe that has a name.
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

  std::filesystem::path path_; // as it was named
  std::filesystem::path target_; // where its links lead
  std::filesystem::path part_; // or empty
  Fd fd_;
};

// The regular file that an OutputFile of this name would replace: links are
// followed; none where there is no file, or one that is written to as it is.
std::optional<std::filesystem::path> replaced_file(
    const std::filesystem::path& path);

// Whether two names of outputs lead to the same file, which need not be there.
bool is_same_output(
    const std::filesystem::path& one,
    const std::filesystem::path& other);

// What image::is_drawn_png() knows, for check_replaceable().
inline constexpr const char* kDrawn = "a picture that vitrain has drawn";

// Throws Error(kUsage) where `option` would replace a file that is not empty
// and none of what it writes: "a table", as `is_one` decides by the first
// bytes, at most 64 KiB.
void check_replaceable(
    const char* option,
    const std::filesystem::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one);

} // namespace vitrain::results

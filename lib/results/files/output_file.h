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
  // Waits for a reader if the path is a named pipe.
  explicit OutputFile(const std::filesystem::path& path);
  // Removes an incomplete file.
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

// Returns the regular file that an OutputFile of this name would replace, after
// following links; nullopt if it does not exist or is written in place.
std::optional<std::filesystem::path> replaced_file(
    const std::filesystem::path& path);

// Returns true if two output names lead to the same file, existing or not.
bool is_same_output(
    const std::filesystem::path& one,
    const std::filesystem::path& other);

// Description of files accepted by image::is_drawn_png(), for
// check_replaceable().
inline constexpr const char* kDrawn = "a picture that vitrain has drawn";

// Throws Error(kUsage) if `option` would replace a non-empty file that is not
// of its own kind `what` ("a table"), as `is_one` decides by the first bytes,
// at most 64 KiB.
void check_replaceable(
    const char* option,
    const std::filesystem::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one);

} // namespace vitrain::results

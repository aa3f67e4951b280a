#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/system/files.h"

namespace vitrain::results {

// An output file that the user has named. While it is written it is called
// NAME.part-1a2b3c4d, an unused name; finish() renames it and replaces an
// existing file. Symbolic links are followed and kept. Anything but a regular
// file (a terminal, a pipe, a link of /proc to an open file, such as
// /dev/stdout) is written in place, and so is standard output, called "-".
// Constructor, write() and finish() throw Error(kStorage) that names the file.
class OutputFile {
 public:
  // If the path is a named pipe, waits for a reader.
  explicit OutputFile(const std::filesystem::path& path);
  // Removes the temporary file if finish() did not rename it.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Syncs and renames the file; one that is written in place is only closed.
  void finish();

 private:
  void check(int error, const char* what) const;

  std::filesystem::path path_; // path given by the user
  std::filesystem::path target_; // path with links resolved
  std::filesystem::path part_; // temporary name; empty if written in place
  Fd fd_;
};

// Returns the regular file that an OutputFile of this name would replace, after
// following links; nullopt if there is none, or if the output is written in
// place.
std::optional<std::filesystem::path> replaced_file(
    const std::filesystem::path& path);

// True if two output names lead to the same file, existing or not.
bool is_same_output(
    const std::filesystem::path& one,
    const std::filesystem::path& other);

// Description, for check_replaceable(), of files that image::is_drawn_png()
// accepts.
inline constexpr const char* kDrawn = "a picture that vitrain has drawn";

// Throws Error(kUsage) if an OutputFile of this name would replace a non-empty
// file for which `is_one` returns false; `is_one` gets its first bytes (at most
// 64 KiB). For the message: `option` has the path as its value, `what` is the
// type that `is_one` accepts ("a table").
void check_replaceable(
    const char* option,
    const std::filesystem::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one);

} // namespace vitrain::results

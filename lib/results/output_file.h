#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/files.h"

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

} // namespace vitrain::results

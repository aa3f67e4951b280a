#pragma once

#include <filesystem>
#include <string_view>

namespace vitrain::results {

// An output folder, called NAME.part until finish() renames it to NAME, and for
// good if finish() is not called. finish() replaces an existing folder NAME,
// atomically if the file system can exchange folders. Every method throws
// Error(kStorage).
class ResultFolder {
 public:
  // Creates NAME.part, empty; deletes an old one.
  explicit ResultFolder(std::filesystem::path path);

  // Writes a file. Does not sync: after a crash the evaluation can be repeated.
  void write(const char* name, std::string_view bytes) const;

  void finish() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
};

} // namespace vitrain::results

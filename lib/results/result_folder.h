#pragma once

#include <filesystem>
#include <string_view>

namespace vitrain::results {

// An output folder, called NAME.part until it is complete. finish() then puts
// it in the place of an existing folder NAME, at once if the file system can
// exchange folders. Every method throws Error(kStorage).
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path path);

  // Does not sync: after a crash the evaluation can be repeated.
  void write(const char* name, std::string_view bytes) const;
  // Completes the folder.
  void finish() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
};

} // namespace vitrain::results

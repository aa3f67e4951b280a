#pragma once

#include <filesystem>
#include <string_view>

namespace vitrain::results {

// A folder of files that replaces another one of its name all at once; until
// then it is called NAME.part. Every method throws Error(kStorage).
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path path);

  // Not synced: a crash loses what can be evaluated again.
  void write(const char* name, std::string_view bytes) const;
  // It is complete.
  void finish() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
};

} // namespace vitrain::results

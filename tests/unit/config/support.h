#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/load.h"

namespace vitrain::config {

// A folder of its own for one test, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file below the folder and returns its path.
  std::filesystem::path write(
      const std::string& name,
      const std::string& content) const;

 private:
  std::filesystem::path path_;
};

// The message of the Error(kUsage) that `action` throws; "" when it throws
// none. Any other exception fails the test.
std::string usage_error(const std::function<void()>& action);

// The message that YAML text is refused with, or "". Positions read "recipe".
std::string refusal_of(const std::string& yaml);

// Defaults with `key=value` texts applied as -set does.
Recipe recipe_with(const std::vector<std::string>& sets);

} // namespace vitrain::config

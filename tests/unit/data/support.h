#pragma once

#include <filesystem>
#include <string>

#include "support/errors.h"
#include "support/files.h"

namespace vitrain::data {

// A file of tests/golden/image/files.
inline std::filesystem::path image_file(const std::string& name) {
  return std::filesystem::path(VITRAIN_SOURCE_DIR) /
      "tests/golden/image/files" / name;
}

// The message of the Error(kData) that an action throws, or "" for none.
[[nodiscard]] inline std::string data_error(const auto& action) {
  return error_of(ExitCode::kData, action);
}

} // namespace vitrain::data

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "data/sources/index.h"
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

// `count` small images that are drawn.
inline std::shared_ptr<const Index> shapes_index(std::int64_t count) {
  SourceOptions options;
  options.kind = SourceKind::kShapes;
  options.count = count;
  options.size = 8;
  return std::make_shared<Index>(list(options));
}

} // namespace vitrain::data

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "data/kinds/datasets.h"
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

// The list `name` in `folder`, whose images have any number of labels: lines as
// "a.jpg 0,2", "b.jpg -". Writes empty files for the images.
inline std::shared_ptr<const Index> label_lists_index(
    const TempFolder& folder,
    const std::string& name,
    const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string image = line.substr(0, line.find(' '));
    if (!std::filesystem::exists(folder / image)) {
      folder.write(image);
    }
  }
  SourceOptions options;
  options.kind = SourceKind::kList;
  options.path = folder.write(name, text).native();
  options.classes = 0; // as many as the labels need
  options.multi_label = true;
  return std::make_shared<const Index>(list(options));
}

} // namespace vitrain::data

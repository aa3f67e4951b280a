#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/check.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"

// One folder of images whose names begin with their class: cat_001.jpg.
namespace vitrain::data::detail {

namespace fs = std::filesystem;

Index list_prefixed(const SourceOptions& options) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options.path, error)) {
    if (has_image_name(entry.path().native())) {
      names.push_back(entry.path().filename().native());
    }
  }
  VITRAIN_CHECK(
      !error && !names.empty(),
      ExitCode::kData,
      "{}: has no images, or cannot be read",
      shown(options.path));
  std::ranges::sort(names);
  Index::Contents contents;
  contents.options = options;
  LabelTexts labels({}, "", options.classes, options.class_order);
  for (const std::string& name : names) {
    const std::string label = name.substr(0, name.find('_'));
    const std::string wrong = labels.add(label, contents.labels);
    VITRAIN_CHECK(wrong.empty(), ExitCode::kData, "{}: {}", shown(name), wrong);
    contents.name_starts.push_back(contents.names.size());
    contents.names.append(name).push_back('\0');
  }
  contents.samples = std::ssize(names);
  labels.finish(contents);
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_prefixed(std::shared_ptr<const Index> index) {
  fs::path folder = index->options().path;
  return std::make_unique<FileSource>(std::move(index), std::move(folder));
}

} // namespace vitrain::data::detail

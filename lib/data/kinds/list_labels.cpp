#include "data/kinds/list_labels.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/text.h"
#include "data/kinds/list_columns.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClassNames = "classes.txt";

// Names of classes, and the file that contains them.
struct KnownClasses {
  std::vector<std::string> names;
  std::string source;
};

KnownClasses known_classes(const SourceOptions& options) {
  const fs::path folder = fs::path(options.path).parent_path();
  if (!options.class_map.empty()) {
    return {read_class_map(options), printable(options.class_map)};
  }
  std::error_code error;
  if (fs::exists(folder / kClassNames, error)) {
    return {read_class_names(folder / kClassNames), kClassNames};
  }
  return {};
}

} // namespace

LabelTexts make_list_labels(const SourceOptions& options) {
  KnownClasses known = known_classes(options);
  return {
      std::move(known.names),
      std::move(known.source),
      options.classes,
      options.class_order,
      options.trained_labels,
      /*only_numbers=*/!is_csv(options.path)};
}

} // namespace vitrain::data

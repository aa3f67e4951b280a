#include "config/source_rules.h"

#include <fmt/format.h>

#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

bool is_label(SourceKind kind, const std::string& label) {
  if (kind == SourceKind::kCifar) {
    return label == "fine" || label == "coarse";
  }
  constexpr std::string_view kJson = "json:";
  return label == "cls" ||
      (label.starts_with(kJson) && label.size() > kJson.size());
}

} // namespace

std::vector<SourceProblem> problems_of(const SourceConfig& source) {
  std::vector<SourceProblem> problems;
  const SourceKind kind = source.kind;
  const bool has_names = kind == SourceKind::kFolder ||
      kind == SourceKind::kList || kind == SourceKind::kTar;
  if (source.class_map && !has_names) {
    problems.push_back(
        {"class_map",
         fmt::format(
             "is for the kinds folder, list and tar, and has no effect on {}",
             name_of(kind))});
  }
  const bool has_labels =
      kind == SourceKind::kCifar || kind == SourceKind::kTar;
  if (source.label && !has_labels) {
    problems.push_back(
        {"label",
         fmt::format(
             "is for the kinds cifar and tar, and has no effect on {}",
             name_of(kind))});
  } else if (source.label && !is_label(kind, *source.label)) {
    problems.push_back(
        {"label",
         fmt::format(
             "'{}' is no label of kind {}: expected {}",
             printable(*source.label),
             name_of(kind),
             kind == SourceKind::kCifar ? "fine or coarse"
                                        : "cls or json:FIELD")});
  }
  return problems;
}

} // namespace vitrain::config

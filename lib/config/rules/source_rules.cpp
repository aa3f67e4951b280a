#include "config/rules/source_rules.h"

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

void check_kind(
    const std::string& section,
    const SourceConfig& source,
    Checker& checker) {
  const SourceKind kind = source.kind;
  const std::vector<std::string> others{section + ".kind"};
  const bool has_names = kind == SourceKind::kFolder ||
      kind == SourceKind::kList || kind == SourceKind::kTar;
  checker.require(
      !source.class_map || has_names,
      section + ".class_map",
      fmt::format(
          "is for the kinds folder, list and tar, and has no effect on {}",
          name_of(kind)),
      others);
  const bool has_labels =
      kind == SourceKind::kCifar || kind == SourceKind::kTar;
  checker.require(
      !source.label || has_labels,
      section + ".label",
      fmt::format(
          "is for the kinds cifar and tar, and has no effect on {}",
          name_of(kind)),
      others);
  checker.require(
      !source.label || !has_labels || is_label(kind, *source.label),
      section + ".label",
      fmt::format(
          "'{}' is no label of kind {}: expected {}",
          printable(source.label.value_or("")),
          name_of(kind),
          kind == SourceKind::kCifar ? "fine or coarse" : "cls or json:FIELD"),
      others);
}

} // namespace vitrain::config

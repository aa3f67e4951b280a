#include "config/rules/unused_keys.h"

#include <fmt/format.h>

#include "config/rules/augment_rules.h"
#include "config/schema/schema.h"

namespace vitrain::config {

std::vector<Finding> unused_keys(const Recipe& recipe, const Origins& origins) {
  std::vector<Finding> findings;
  if (const auto idle = idle_augment_key(recipe)) {
    findings.push_back(*idle);
  }
  Recipe copy = recipe; // a copy, since fields can change the recipe
  for (const Field& field : schema_of(copy).fields) {
    const auto set = origins.find(field.path);
    if (set != origins.end() && set->second.origin == Origin::kSet &&
        field.needs_met && !field.needs_met()) {
      findings.push_back(
          {field.path, fmt::format("has no effect: it needs {}", field.needs)});
    }
  }
  return findings;
}

} // namespace vitrain::config

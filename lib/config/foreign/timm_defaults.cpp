#include "config/foreign/timm_defaults.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

struct DefaultsRow {
  double drop_path;
  std::int64_t outputs;
  std::string_view names; // separated by blanks
};

// Models and weights whose values differ from TimmDefaults{}.
constexpr DefaultsRow kDefaultsRows[] = {
#include "config/foreign/timm_defaults.inc"
};

std::optional<TimmDefaults> defaults_in_table(std::string_view name) {
  for (const DefaultsRow& row : kDefaultsRows) {
    const std::vector<std::string> names = split(row.names, ' ');
    if (std::ranges::find(names, name) != names.end()) {
      return TimmDefaults{row.drop_path, row.outputs};
    }
  }
  return std::nullopt;
}

} // namespace

TimmDefaults timm_defaults(std::string_view name) {
  const auto exactly = defaults_in_table(name);
  return exactly ? *exactly
                 : defaults_in_table(name.substr(0, name.find('.')))
                       .value_or(TimmDefaults{});
}

} // namespace vitrain::config::foreign

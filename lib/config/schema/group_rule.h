#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/document.h"

namespace vitrain::config {

// An item of optim.groups: factors for the parameters whose names match.
struct GroupRule {
  std::string match;
  double lr = 1.0;
  double weight_decay = 1.0;
  std::int64_t from_epoch = 1; // the first in which they are trained
  std::optional<std::int64_t> until_epoch; // and the last
};

inline constexpr const char* kGroupRuleForm =
    "map of match and, with it, lr, weight_decay, from_epoch or until_epoch";

// A map as the text that recipes keep of it: {match: "blocks.*", lr: 0.5}.
std::string map_text(const Node& map);

// Returns "" if `text` is such a rule, otherwise the mistake.
std::string fault_of_group_rule(const std::string& text);

// Parses valid texts.
std::vector<GroupRule> group_rules(const std::vector<std::string>& texts);

// Whether a parameter's name is `pattern`, or begins with it and a dot; `*` is
// any text, `?` any character.
bool matches_name(std::string_view pattern, std::string_view name);

} // namespace vitrain::config

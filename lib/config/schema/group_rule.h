#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/document.h"

namespace vitrain::config {

// Item of optim.groups: settings of the parameters whose names match.
struct GroupRule {
  std::string match; // pattern of matches_name()
  double lr = 1.0; // factor of the learning rate, > 0
  double weight_decay = 1.0; // factor of the weight decay
  // First epoch, from 1, in which the parameters are trained.
  std::int64_t from_epoch = 1;
  // Last epoch in which the parameters are trained; nullopt: the run's last.
  std::optional<std::int64_t> until_epoch;
};

inline constexpr const char* kGroupRuleForm =
    "map of match and, with it, lr, weight_decay, from_epoch or until_epoch";

// Returns a map as the text that recipes store: {match: "blocks.*", lr: 0.5}.
// Values must be scalars, null or lists of scalars; any other becomes [].
std::string map_text(const Node& map);

// Returns "" if `text` is a valid rule, otherwise the mistake.
std::string validate_group_rule(const std::string& text);

// Parses texts for which validate_group_rule() returns "".
std::vector<GroupRule> group_rules(const std::vector<std::string>& texts);

// Returns true if `pattern` matches all of a parameter's name, or a prefix that
// is followed by a dot. `*` matches any text, `?` any character.
bool matches_name(std::string_view pattern, std::string_view name);

} // namespace vitrain::config

#include "optim/grouping.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "config/schema/group_rule.h"

namespace vitrain::optim {
namespace {

// Returns the group's name: `decay` with the layer and the rule as prefixes and
// `fallback` as suffix, for example "layer_3_rule_0_decay_fallback".
std::string name_of_group(
    const std::string& decay,
    std::optional<int> layer,
    std::optional<std::size_t> rule,
    bool fallback) {
  std::string name;
  if (layer) {
    name += fmt::format("layer_{}_", *layer);
  }
  if (rule) {
    name += fmt::format("rule_{}_", *rule);
  }
  return name + decay + (fallback ? "_fallback" : "");
}

} // namespace

bool is_matrix(at::IntArrayRef shape) {
  const auto wide =
      std::ranges::count_if(shape, [](std::int64_t size) { return size > 1; });
  if (shape.size() < 2 || wide < 2 || shape[0] == 1 || shape[1] == 1) {
    return false;
  }
  const std::int64_t rows = shape[0];
  const std::int64_t columns = c10::multiply_integers(shape.slice(1));
  const auto [small, large] = std::minmax(rows, columns);
  return small >= 4 && large <= 128 * small;
}

Grouping grouping_of(const config::OptimConfig& options, const Layers& layers) {
  const Grouping by_decay =
      decay_grouping(options.weight_decay, options.no_decay);
  const std::vector<config::GroupRule> rules =
      config::group_rules(options.groups);
  const bool splits = options.name == config::OptimKind::kMuon;
  const double layer_decay = options.layer_decay.value_or(1.0);
  const double least = options.layer_decay_min;
  return [=](const std::string& name, at::IntArrayRef shape) {
    GroupSettings group = by_decay(name, shape);
    std::optional<int> layer;
    if (layer_decay != 1.0 && layers.of) {
      layer = layers.of(name);
      group.lr_scale =
          std::max(least, std::pow(layer_decay, layers.count - 1 - *layer));
    }
    std::optional<std::size_t> rule;
    for (std::size_t i = 0; i < rules.size() && !rule; ++i) {
      if (config::matches_name(rules[i].match, name)) {
        rule = i;
        group.lr_scale *= rules[i].lr;
        group.weight_decay *= rules[i].weight_decay;
        group.from_epoch = rules[i].from_epoch;
        group.until_epoch = rules[i].until_epoch;
      }
    }
    group.fallback = splits && !is_matrix(shape);
    group.name = name_of_group(group.name, layer, rule, group.fallback);
    return group;
  };
}

} // namespace vitrain::optim

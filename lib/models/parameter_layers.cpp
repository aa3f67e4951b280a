#include "models/parameter_layers.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <regex>

#include "models/families/family.h"

namespace vitrain::models {
namespace {

// Key by which parameters are ordered into layers: (part, captured numbers,
// LayerRule::last).
using LayerKey = std::vector<double>;

const LayerKey kAfterAll{std::numeric_limits<double>::infinity()};

// Sets the keys of the names that `rule` is the first to match. `largest`:
// largest first captured number of the last rule without ends_together; updated
// if this is one.
void take_rule(
    const LayerRule& rule,
    const std::vector<std::string>& names,
    double& largest,
    std::vector<LayerKey>& keys) {
  const std::regex pattern(rule.pattern);
  std::vector<std::size_t> taken;
  double last = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::smatch match;
    if (keys[i] != kAfterAll ||
        !std::regex_search(
            names[i], match, pattern, std::regex_constants::match_continuous)) {
      continue;
    }
    keys[i] = {rule.part};
    for (auto group = std::next(match.begin()); group != match.end(); ++group) {
      keys[i].push_back(std::stod(group->str()));
    }
    keys[i].insert(keys[i].end(), rule.last.begin(), rule.last.end());
    if (match.size() > 1) {
      last = std::max(last, keys[i][1]);
      taken.push_back(i);
    }
  }
  if (rule.ends_together) {
    for (const std::size_t i : taken) {
      keys[i][1] += largest - last;
    }
  } else {
    largest = last;
  }
}

std::vector<LayerKey> keys_by_rules(
    const std::vector<LayerRule>& rules,
    const std::vector<std::string>& names) {
  std::vector<LayerKey> keys(names.size(), kAfterAll);
  double largest = 0;
  for (const LayerRule& rule : rules) {
    take_rule(rule, names, largest, keys);
  }
  return keys;
}

std::vector<LayerKey> keys_by_count(
    const Family& family,
    const std::vector<std::string>& names) {
  constexpr int kRun = 12;
  int seen = 0;
  std::vector<LayerKey> keys;
  for (const std::string& name : names) {
    const bool head = classifies(family, name);
    const int run = head ? 0 : seen++ / kRun;
    keys.push_back(head ? kAfterAll : LayerKey{static_cast<double>(run)});
  }
  return keys;
}

} // namespace

std::vector<int> layers_of(
    const ModelSpec& spec,
    const std::vector<std::string>& parameters) {
  const std::vector<LayerRule>& rules = spec.family->layers;
  const std::vector<LayerKey> keys = rules.empty()
      ? keys_by_count(*spec.family, parameters)
      : keys_by_rules(rules, parameters);
  std::map<LayerKey, int> layers;
  for (const LayerKey& key : keys) {
    layers[key] = 0;
  }
  int layer = -1;
  for (auto& [key, number] : layers) {
    layer += layer < 0 || key.back() != kWithPreviousLayer ? 1 : 0;
    number = layer;
  }
  std::vector<int> result;
  for (const LayerKey& key : keys) {
    result.push_back(layers.at(key));
  }
  return result;
}

} // namespace vitrain::models

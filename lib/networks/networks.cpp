#include "networks/networks.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "config/schema/group_rule.h"
#include "core/check.h"
#include "core/text.h"
#include "models/families/add_family.h"
#include "models/families/all.h"
#include "networks/add_network.h"
#include "networks/layers/layers.h"

namespace vitrain::networks {
namespace {

struct Row {
  const models::Family* family;
  MakeNetwork make;
};

// Returns the families of this library, then those that the program has added.
std::vector<Row>& rows() {
#define VITRAIN_ROW(family, make) Row{&models::family, make},
  static std::vector<Row> rows{VITRAIN_NETWORKS(VITRAIN_ROW)};
#undef VITRAIN_ROW
  return rows;
}

// Adds an adapter to every linear layer that a pattern of model.lora.match
// matches. Throws Error(kUsage) for a pattern without a match, with the default
// patterns only if none of them has one.
void add_adapters(
    Model& network,
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const auto& item : network.named_modules()) {
    auto* linear = item.value()->as<Linear>();
    if (linear == nullptr) {
      continue;
    }
    names.push_back(item.key());
    for (const std::string& pattern : spec.lora.match) {
      if (config::matches_name(pattern, item.key())) {
        used.insert(pattern);
        if (!linear->has_adapter()) {
          linear->add_adapter(spec.lora, generator);
        }
      }
    }
  }
  const bool as_default = spec.lora.match == config::LoraConfig().match;
  for (const std::string& pattern : spec.lora.match) {
    VITRAIN_CHECK(
        used.contains(pattern) || (as_default && !used.empty()),
        ExitCode::kUsage,
        "model.lora.match: no linear layer of {} is named like {}; names are "
        "like {} and {}",
        printable(spec.name),
        printable(pattern),
        names.front(),
        names.back());
  }
}

} // namespace

void add_family(const models::Family& family, MakeNetwork make) {
  models::add_family(family);
  rows().push_back({&family, make});
}

std::shared_ptr<Model> make_network(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  const auto row = std::ranges::find(rows(), spec.family, &Row::family);
  VITRAIN_CHECK(
      row != rows().end(),
      ExitCode::kInternal,
      "{}: its family has no networks",
      spec.name);
  auto network = row->make(spec, generator);
  for (const auto& item : network->named_modules()) {
    auto* linear = item.value()->as<Linear>();
    if (linear != nullptr &&
        models::classifies(*spec.family, item.key() + ".")) {
      linear->make_classifier(spec.head_dropout);
    }
  }
  if (spec.lora.active()) {
    add_adapters(*network, spec, generator);
  }
  return network;
}

} // namespace vitrain::networks

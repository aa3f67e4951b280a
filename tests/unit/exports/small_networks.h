#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/families/spec.h"
#include "networks/model.h"

namespace vitrain::exports {

// A network of each family, made small: of a side in pixels that it takes, and
// with fewer blocks where its numbers say how many.
struct SmallNetwork {
  std::string name; // as timm's
  std::int64_t side = 0;
};

// Returns small networks, each with operators of one kind.
std::vector<SmallNetwork> small_networks();

models::ModelSpec spec_of(const SmallNetwork& network);

// With weights and running statistics that hide nothing: timm's starts have
// zeros and ones among them.
std::shared_ptr<networks::Model> random_network(const models::ModelSpec& spec);

} // namespace vitrain::exports

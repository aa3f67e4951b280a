#pragma once

#include <string>

#include "core/json.h"

namespace vitrain::checkpoint {

// Returns timm's name of the network that `config`, the object in a config.json
// of transformers, describes; "" for networks that are not in this function's
// table.
std::string transformers_network(const Json& config);

} // namespace vitrain::checkpoint

#pragma once

#include <string>

#include "core/json.h"

namespace vitrain::checkpoint {

// Returns timm's name of the network that transformers' config.json describes;
// "" if its numbers are those of none that is known here.
std::string transformers_network(const Json& config);

} // namespace vitrain::checkpoint

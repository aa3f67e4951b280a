#pragma once

#include <string>
#include <string_view>

#include "weights/archive.h"

namespace vitrain::weights {

// Gives an archive's tensors the names and layouts of timm. `program` names the
// convention that the file follows; "auto" detects it by the tensor names, and
// keeps names that follow none. Adds the detected convention to the archive's
// notes. Throws Error(kWeights) if the file does not follow the convention
// `program`, or has only some of query, key and value.
void to_timm_names(Archive& archive, std::string_view program);

// Returns "auto, timm, torchvision, ...", the values of `program`.
std::string known_programs();
bool is_program(std::string_view name);

} // namespace vitrain::weights

#pragma once

#include <string>
#include <string_view>

#include "weights/archive.h"

namespace vitrain::weights {

// Gives an archive's tensors the names and layouts of timm. `program` names the
// convention that it follows; "auto" finds it by the names. What was found goes
// to the archive's notes. Throws Error(kWeights) when the file does not follow
// that convention, or has only one of query, key and value.
void to_timm_names(Archive& archive, std::string_view program);

// "auto, timm, torchvision, ...", what `program` can be.
std::string known_programs();
bool is_program(std::string_view name);

} // namespace vitrain::weights

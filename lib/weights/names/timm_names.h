#pragma once

#include <string>
#include <string_view>

#include "weights/archive.h"

namespace vitrain::weights {

// Gives an archive's tensors the names and layouts of timm. Removes prefixes of
// wrappers ("module."), buffers that timm computes, update counters of
// averages, a CoaT's repeated tensors and, of a Lightning module with several
// networks, all but one, which a note names. `program` names the program that
// wrote the file; "auto" detects it by the tensor names, and keeps names of no
// known convention. Adds the convention used to the archive's notes. Throws
// Error(kWeights) if the file follows no convention of `program`, or has only
// some of query, key and value.
void to_timm_names(Archive& archive, std::string_view program);

// Returns "auto, timm, torchvision, ...", the values of `program`.
std::string known_programs();
// True if `name` is one of the values of known_programs().
bool is_program(std::string_view name);

} // namespace vitrain::weights

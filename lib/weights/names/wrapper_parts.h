#pragma once

#include "weights/archive.h"

namespace vitrain::weights {

// Removes the components that module wrappers insert into names: torch's
// activation checkpointing
// ("blocks.0._checkpoint_wrapped_module.norm1.weight"), torch.compile
// ("_orig_mod"), FSDP and Lightning. Throws Error(kWeights) if two tensors
// would get the same name.
void remove_wrapper_parts(Archive& archive);

} // namespace vitrain::weights

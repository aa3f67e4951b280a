#pragma once

#include "weights/archive.h"

namespace vitrain::weights {

// Takes the second names out of layers that timm's CoaT, and its authors', have
// in several places of a network.
void drop_coat_repeats(Archive& archive);

} // namespace vitrain::weights

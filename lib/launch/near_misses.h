#pragma once

#include "launch/launchers.h"
#include "launch/variables.h"

namespace vitrain::launch {

// Adds to a result without a place what the variables of an environment say
// that nearly are a launcher's.
void note_near_misses(const Variables& variables, Detected& result);

} // namespace vitrain::launch

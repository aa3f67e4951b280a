#pragma once

#include "launch/foreign/launchers.h"
#include "launch/foreign/variables.h"

namespace vitrain::launch {

// Adds to a result without a place what the variables of an environment say
// that nearly are a launcher's.
void note_near_misses(const Variables& variables, Detected& result);

} // namespace vitrain::launch

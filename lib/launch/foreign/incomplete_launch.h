#pragma once

#include "launch/foreign/launchers.h"
#include "launch/foreign/variables.h"

namespace vitrain::launch {

// Adds a sentence to `result`, which has no place, for each launcher of whose
// variables only some are set.
void note_incomplete_launch(const Variables& variables, Detected& result);

} // namespace vitrain::launch

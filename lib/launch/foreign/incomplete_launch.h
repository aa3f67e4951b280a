#pragma once

#include <string>

#include "launch/foreign/launchers.h"
#include "launch/foreign/variables.h"

namespace vitrain::launch {

// Returns the error message for a process that, by the variables of an MPI
// launcher or of Horovod, is one of several, but lacks its rank, their number
// or its local rank, and thus its device; "" for other processes.
std::string incomplete_mpi_launch(const Variables& variables);

// Handles launchers of which only some variables are set: adds notes to
// `result`, or sets `result.incomplete` to the reason. Call it only if
// `result.place` is empty.
void note_incomplete_launch(const Variables& variables, Detected& result);

} // namespace vitrain::launch

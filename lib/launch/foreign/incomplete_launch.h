#pragma once

#include <string>

#include "launch/foreign/launchers.h"
#include "launch/foreign/variables.h"

namespace vitrain::launch {

// Returns the message for a process that is one of several by the variables of
// an MPI launcher or of Horovod, but has no local rank and thus no device; ""
// for other processes.
std::string incomplete_mpi_launch(const Variables& variables);

// Adds to `result`, which has no place, notes on launchers of which only some
// variables are set, or the message why the launch is incomplete.
void note_incomplete_launch(const Variables& variables, Detected& result);

} // namespace vitrain::launch

#pragma once

#include <driver_types.h>

#include "settings.h"

namespace vitrain::fake_cuda {

// Counts a call of the kind that `fault` happens in, on a device, and says
// whether it happens now.
bool fault_happens(Fault fault, int device);

// Of the last call of this thread; an error that stays does so for the process.
void set_last_error(cudaError_t error);
// That of a launch on the device, which may be what breaks it.
cudaError_t launch_error(int device);
// That of a call that only meets what has broken before.
cudaError_t earlier_error();

} // namespace vitrain::fake_cuda

#pragma once

#include <driver_types.h>

#include "settings.h"

namespace vitrain::fake_cuda {

// Counts a call of the kind that `fault` happens in, on a device, and says
// whether it happens now.
bool fault_happens(Fault fault, int device);

// Sets the error of this thread's last call; a sticky error affects the whole
// process.
void set_last_error(cudaError_t error);
// Error of a launch on the device, which may be the injected one.
cudaError_t launch_error(int device);
// Error of a call that only reports an earlier failure.
cudaError_t earlier_error();

} // namespace vitrain::fake_cuda

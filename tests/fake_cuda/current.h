#pragma once

namespace vitrain::fake_cuda {

// The device of this thread.
int current_device();
void set_current_device(int device);

} // namespace vitrain::fake_cuda

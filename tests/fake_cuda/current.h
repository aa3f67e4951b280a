#pragma once

namespace vitrain::fake_cuda {

// Of this thread.
int current_device();
void set_current_device(int device);

} // namespace vitrain::fake_cuda

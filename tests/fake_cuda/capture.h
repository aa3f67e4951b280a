#pragma once

#include <driver_types.h>

namespace vitrain::fake_cuda {

// Rules of stream capture. Between its begin and its end a stream is not waited
// for or asked, and what makes the device wait needs the relaxed mode.
bool is_capturing(cudaStream_t stream);
// A violation, named after the call, while any stream is captured and this
// thread has not asked for the relaxed mode.
void expect_no_capture(const char* call);
// The same for one stream, whatever the mode.
void expect_not_captured(cudaStream_t stream, const char* call);

} // namespace vitrain::fake_cuda

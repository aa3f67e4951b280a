#pragma once

#include <driver_types.h>

namespace vitrain::fake_cuda {

// Rules of stream capture: between its begin and end, a stream must not be
// waited for or queried, and calls that make the device wait need the relaxed
// mode.
bool is_capturing(cudaStream_t stream);
// A violation, named after the call, while any stream is captured and this
// thread has not asked for the relaxed mode.
void expect_no_capture(const char* call);
// A violation while this stream is captured, in any mode.
void expect_not_captured(cudaStream_t stream, const char* call);

} // namespace vitrain::fake_cuda

#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vitrain::fake_cuda {

class Meeting;

// Work is enqueued here and performed when the stream, or an event after it, is
// waited for.

// A copy between the device and pinned memory `host`. A change of the host's
// memory before a copy from it has ended is a violation (reused too early). A
// copy to the host fills the memory with 0xff at once, and with zeros at its
// end: reading without waiting gives NaN.
void enqueue_copy(
    cudaStream_t stream,
    void* host,
    const void* device,
    std::size_t bytes,
    bool to_host);
// A collective, which ends when all ranks have come to it.
void enqueue_collective(
    cudaStream_t stream,
    std::shared_ptr<Meeting> meeting,
    std::uint64_t number);

// Ends every copy of every stream.
void finish_all_copies();
// Waits for all that has been enqueued on the stream.
void wait_for_stream(cudaStream_t stream);

} // namespace vitrain::fake_cuda

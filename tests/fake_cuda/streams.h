#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vitrain::fake_cuda {

class Meeting;

// Work that is enqueued here and done when somebody waits for the stream, or
// for an event behind it.

// A copy between the device and pinned memory of `host`. One from the host
// must find there at its end what was there when it was enqueued: a change is a
// violation (the memory was used again too early). One to the host fills it
// with 0xff at once, with zeros at its end: who does not wait reads NaN.
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

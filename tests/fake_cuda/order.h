#pragma once

#include <driver_types.h>

#include <cstddef>

namespace vitrain::fake_cuda {

// Concurrency of work. Streams have vector clocks: work comes after all earlier
// work on its stream, after the work before the events it waits for, and after
// work that the host has waited for.

// A piece of a device's memory, and how work uses it.
struct Use {
  const void* memory;
  std::size_t bytes;
  bool writes;
};

// Records that work on the stream uses this memory. A violation if unordered
// work on another stream (no event, no wait between) writes it, or uses memory
// that this work writes. `what` describes the work in messages and must stay
// valid: "a fill".
void use_in_order(cudaStream_t stream, const Use& use, const char* what);

// The event is where the stream is now.
void record_order(cudaEvent_t event, cudaStream_t stream);
// Later work on the stream comes after the event.
void order_after(cudaStream_t stream, cudaEvent_t event);
void forget_event(cudaEvent_t event);

// The host knows that all of the stream, all before the event, everything is
// done.
void know_stream(cudaStream_t stream);
void know_event(cudaEvent_t event);
void know_everything();
// The memory was freed: later allocations there count as unused.
void forget_memory(const void* memory, std::size_t bytes);

} // namespace vitrain::fake_cuda

#pragma once

#include <driver_types.h>

#include <cstddef>

namespace vitrain::fake_cuda {

// What may happen at the same time. Streams have vector clocks: what is
// enqueued on one comes after all that was enqueued there before, after what
// lay before the events that it waits for, and after what the host has waited
// for.

// A piece of a device's memory, and how work uses it.
struct Use {
  const void* memory;
  std::size_t bytes;
  bool writes;
};

// Work that is enqueued on the stream uses this memory. A violation where other
// work writes it, or uses what is written now, and neither comes after the
// other: on another stream, no event and no wait between. `what` is for its
// words, for ever: "a fill".
void use_in_order(cudaStream_t stream, const Use& use, const char* what);

// The event is where the stream is now.
void record_order(cudaEvent_t event, cudaStream_t stream);
// What the stream gets from now on comes after the event.
void order_after(cudaStream_t stream, cudaEvent_t event);
void forget_event(cudaEvent_t event);

// The host knows that all of the stream, all before the event, everything is
// done.
void know_stream(cudaStream_t stream);
void know_event(cudaEvent_t event);
void know_everything();
// This memory is given back: what comes to lie there has not been used.
void forget_memory(const void* memory, std::size_t bytes);

} // namespace vitrain::fake_cuda

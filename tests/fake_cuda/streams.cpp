// Streams and events, and their pending work. Kernels take no time; copies and
// collectives are pending until a wait.

#include "streams.h"

#include <cuda_runtime_api.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "capture.h"
#include "current.h"
#include "faults.h"
#include "meeting.h"
#include "order.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

struct Copy {
  void* host;
  const char* device;
  std::size_t bytes;
  bool to_host;
  XXH64_hash_t hash;
  std::atomic<bool> done = false;
};

// Pending work before a point of a stream.
struct Pending {
  // Each once: streams that wait for one another would double a list of them.
  std::set<std::shared_ptr<Copy>> copies;
  // The last of each communicator; those before it end earlier.
  std::map<std::shared_ptr<Meeting>, std::uint64_t> collectives;

  void add(const Pending& others) {
    copies.insert(others.copies.begin(), others.copies.end());
    for (const auto& [meeting, number] : others.collectives) {
      auto& last = collectives[meeting];
      last = std::max(last, number);
    }
  }
  // Drops completed work.
  void tidy() {
    std::erase_if(copies, [](const auto& copy) { return copy->done.load(); });
    std::erase_if(collectives, [](const auto& item) {
      return item.first->finished(item.second);
    });
  }
};

// The default stream is another one on each device.
using StreamKey = std::pair<cudaStream_t, int>;

struct Streams {
  std::mutex mutex;
  std::map<StreamKey, Pending> streams;
  std::map<cudaEvent_t, Pending> events;
  std::uintptr_t handles = 0;
};

Streams& all() {
  static auto* const made = new Streams;
  return *made;
}

StreamKey key_of(cudaStream_t stream) {
  return {stream, stream == nullptr ? current_device() : 0};
}

template <typename Handle>
Handle new_handle() {
  // Never memory of anybody, never null.
  return reinterpret_cast<Handle>(4096 + 16 * ++all().handles);
}

// The caller holds the mutex.
void finish(Copy& copy) {
  if (copy.done.exchange(true)) {
    return;
  }
  if (copy.to_host) {
    std::memset(copy.host, 0, copy.bytes);
  } else if (XXH64(copy.host, copy.bytes, 0) != copy.hash) {
    violation("pinned memory changed before its copy to the device had ended");
  }
}

void finish_copies(const Pending& pending) {
  const std::scoped_lock lock(all().mutex);
  for (const auto& copy : pending.copies) {
    finish(*copy);
  }
}

bool collectives_finished(const Pending& pending) {
  for (const auto& [meeting, number] : pending.collectives) {
    if (!meeting->finished(number)) {
      return false;
    }
  }
  return true;
}

// Another rank may never come: then this hangs, as NCCL does.
void wait_for(const Pending& pending) {
  constexpr useconds_t kNap = 50;
  while (!collectives_finished(pending)) {
    ::usleep(kNap);
  }
  finish_copies(pending);
}

Pending pending_of(cudaStream_t stream) {
  const std::scoped_lock lock(all().mutex);
  Pending& pending = all().streams[key_of(stream)];
  pending.tidy();
  return pending;
}

Pending pending_before(cudaEvent_t event) {
  const std::scoped_lock lock(all().mutex);
  Pending& pending = all().events[event];
  pending.tidy();
  return pending;
}

cudaError_t state_of(const Pending& pending) {
  if (const cudaError_t error = earlier_error(); error != cudaSuccess) {
    return error;
  }
  if (!collectives_finished(pending)) {
    return cudaErrorNotReady;
  }
  finish_copies(pending);
  return cudaSuccess;
}

} // namespace

void enqueue_copy(
    cudaStream_t stream,
    void* host,
    const void* device,
    std::size_t bytes,
    bool to_host) {
  use_in_order(stream, {device, bytes, /*writes=*/!to_host}, "a copy");
  auto copy = std::make_shared<Copy>();
  copy->host = host;
  copy->device = static_cast<const char*>(device);
  copy->bytes = bytes;
  copy->to_host = to_host;
  if (to_host) {
    std::memset(host, 0xff, bytes);
  } else {
    copy->hash = XXH64(host, bytes, 0);
  }
  const std::scoped_lock lock(all().mutex);
  all().streams[key_of(stream)].copies.insert(std::move(copy));
}

void enqueue_collective(
    cudaStream_t stream,
    std::shared_ptr<Meeting> meeting,
    std::uint64_t number) {
  const std::scoped_lock lock(all().mutex);
  all().streams[key_of(stream)].collectives[std::move(meeting)] = number;
}

void finish_all_copies() {
  const std::scoped_lock lock(all().mutex);
  for (auto& [key, pending] : all().streams) {
    for (const auto& copy : pending.copies) {
      finish(*copy);
    }
  }
  know_everything();
}

void wait_for_stream(cudaStream_t stream) {
  wait_for(pending_of(stream));
  know_stream(stream);
}

} // namespace vitrain::fake_cuda

using namespace vitrain::fake_cuda;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  use_device(current_device());
  const std::scoped_lock lock(all().mutex);
  *stream = new_handle<cudaStream_t>();
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  expect_not_captured(stream, "cudaStreamSynchronize");
  count(Count::kWaits);
  wait_for_stream(stream);
  return earlier_error();
}

cudaError_t cudaDeviceSynchronize() {
  expect_no_capture("cudaDeviceSynchronize");
  count(Count::kWaits);
  Pending pending;
  {
    const std::scoped_lock lock(all().mutex);
    for (const auto& [key, others] : all().streams) {
      pending.add(others);
    }
  }
  wait_for(pending);
  know_everything();
  return earlier_error();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  expect_not_captured(stream, "cudaStreamQuery");
  const cudaError_t state = state_of(pending_of(stream));
  if (state == cudaSuccess) {
    know_stream(stream);
  }
  return state;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const std::scoped_lock lock(all().mutex);
  *event = new_handle<cudaEvent_t>();
  all().events[*event];
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::scoped_lock lock(all().mutex);
  all().events.erase(event);
  forget_event(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Pending pending = pending_of(stream);
  record_order(event, stream);
  const std::scoped_lock lock(all().mutex);
  all().events[event] = pending;
  return cudaSuccess;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const cudaError_t state = state_of(pending_before(event));
  if (state == cudaSuccess) {
    know_event(event);
  }
  return state;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  expect_no_capture("cudaEventSynchronize");
  count(Count::kWaits);
  wait_for(pending_before(event));
  know_event(event);
  return earlier_error();
}

cudaError_t
cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.1F;
  return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Pending pending = pending_before(event);
  order_after(stream, event);
  const std::scoped_lock lock(all().mutex);
  Pending& own = all().streams[key_of(stream)];
  own.add(pending);
  own.tidy();
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(
    cudaStream_t stream,
    cudaStreamCallback_t callback,
    void* data,
    unsigned) {
  // Kernels take no time, so that the work before the callback is complete.
  wait_for_stream(stream);
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

} // extern "C"

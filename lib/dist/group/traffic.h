#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <c10/core/Device.h>

#include "core/system/clock.h"

namespace c10 {
struct Event;
} // namespace c10

namespace vitrain::dist {

// Time interval, in seconds of a monotonic clock.
struct TimeSpan {
  double begin = 0.0;
  double end = 0.0;
};

// Returns the length of the union of the intervals after time 0, in seconds.
double covered_seconds(std::vector<TimeSpan> intervals);

// Event in a device's queue. Its time is known once the device has reached it.
// Empty on the CPU, which works synchronously.
class DeviceMark {
 public:
  DeviceMark() = default;
  // Records an event at the end of the current stream.
  explicit DeviceMark(c10::Device device);

  bool exists() const { return event_ != nullptr; }
  // Returns the seconds from `earlier` to this event. Waits for the device.
  // Both events must exist.
  double seconds_since(const DeviceMark& earlier) const;

 private:
  std::shared_ptr<c10::Event> event_;
};

struct DeviceSpan {
  DeviceMark begin;
  DeviceMark end;
};

// Staleness of one rank's applied gradients: the number of other ranks' updates
// between reading the weights and applying the gradient.
struct Staleness {
  std::int64_t updates = 0; // number of gradients; 0: unknown
  std::int64_t sum = 0;
  std::int64_t largest = 0;

  void add(std::int64_t staleness);
  void add(const Staleness& other);
};

// A duration: events on the device, and seconds of the host's clock, which
// count if the device has no events.
struct Elapsed {
  DeviceSpan span;
  double seconds = 0.0;
};

// Runs `body` and measures its duration.
template <typename Body>
Elapsed timed(c10::Device device, Body&& body) {
  const Stopwatch watch;
  DeviceSpan span{.begin = DeviceMark(device), .end = {}};
  body();
  span.end = DeviceMark(device);
  return {span, watch.seconds()};
}

// Transfer of one bucket of gradients.
struct Travel {
  std::int64_t bytes = 0; // sent by this rank
  TimeSpan interval;
};

// Communication of one rank during one or more steps.
struct Traffic {
  std::int64_t bytes = 0;
  double exposed_seconds = 0.0; // waiting for collectives after backward
  // Time during which gradients were exchanged, overlapped with backward or
  // not.
  double busy_seconds = 0.0;
  std::int64_t dropped = 0; // gradients dropped as too stale
  // Staleness of the gradients that were applied.
  Staleness staleness{};
  // On a device: the span of each wait, and of each bucket by step, not yet
  // added to the seconds (see settle()).
  std::vector<DeviceSpan> waits{};
  std::vector<std::vector<DeviceSpan>> buckets{};
  // On the CPU: the transfers of one step's buckets, in layout order; add()
  // ignores them.
  std::vector<Travel> travels{};

  void add_exposed(const Elapsed& wait);
  void add_busy(const Elapsed& travel);
  // Adds the communication of one step.
  void add(const Traffic& step);
  // Waits for the device, then adds the durations of `waits` and `buckets` to
  // the seconds.
  void settle();
};

// Runs an exchange for which the step waits, and adds its duration as exposed
// and as busy time.
template <typename Exchange>
void add_exposed(Traffic& traffic, c10::Device device, Exchange&& exchange) {
  const Elapsed elapsed = timed(device, exchange);
  traffic.add_exposed(elapsed);
  traffic.add_busy(elapsed);
}

} // namespace vitrain::dist

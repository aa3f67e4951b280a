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

// Seconds of a monotonic clock.
struct Interval {
  double begin = 0.0;
  double end = 0.0;
};

// Seconds that lie in at least one of the intervals.
double covered_seconds(std::vector<Interval> intervals);

// An event in a device's queue, whose time is known once the device has reached
// it. Empty on the CPU, which works synchronously.
class DeviceMark {
 public:
  DeviceMark() = default;
  // Records an event at the end of the current stream.
  explicit DeviceMark(c10::Device device);

  bool exists() const { return event_ != nullptr; }
  // Waits for the device. Both must exist.
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
  std::int64_t updates = 0; // 0: unknown
  std::int64_t sum = 0;
  std::int64_t largest = 0;

  void add(std::int64_t staleness);
  void add(const Staleness& other);
};

// A duration: the device's span, and the host's time, which is used if the
// device has no events.
struct Elapsed {
  DeviceSpan span;
  double seconds = 0.0;
};

template <typename Body>
Elapsed timed(c10::Device device, Body&& body) {
  const Stopwatch watch;
  DeviceSpan span{.begin = DeviceMark(device), .end = {}};
  body();
  span.end = DeviceMark(device);
  return {span, watch.seconds()};
}

// A bucket of gradients on its way.
struct Travel {
  std::int64_t bytes = 0; // that this rank put into collectives
  Interval interval;
};

// Communication of steps, on one rank.
struct Traffic {
  std::int64_t bytes = 0;
  double exposed_seconds = 0.0; // waited for collectives, after backward
  // Time during which gradients were exchanged, overlapped with backward or
  // not.
  double busy_seconds = 0.0;
  std::int64_t dropped = 0; // gradients dropped as too stale
  Staleness
      staleness{}; // of gradients that were applied or dropped in these steps
  // A step on a device: each wait and each bucket, not yet added to the
  // seconds.
  std::vector<DeviceSpan> waits{};
  std::vector<std::vector<DeviceSpan>> buckets{}; // by step
  // A step on the CPU: its buckets in layout order; ignored by add().
  std::vector<Travel> travels{};

  void add_exposed(const Elapsed& wait);
  void add_busy(const Elapsed& travel);
  // Adds a step.
  void add(const Traffic& step);
  // Waits for the device and adds its spans to the seconds.
  void settle();
};

// Runs an exchange that a step waits for, and adds its time.
template <typename Exchange>
void add_exposed(Traffic& traffic, c10::Device device, Exchange&& exchange) {
  const Elapsed elapsed = timed(device, exchange);
  traffic.add_exposed(elapsed);
  traffic.add_busy(elapsed);
}

} // namespace vitrain::dist

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

// A point in the work that has been given to a device, whose time is known once
// the device has come there. On the CPU there is none: what is called has
// happened.
class DeviceMark {
 public:
  DeviceMark() = default;
  // Now, at the end of the current stream.
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

// How many updates of others came between the weights at which a gradient was
// computed and its own update, over the gradients of one rank that were
// applied.
struct Staleness {
  std::int64_t updates = 0; // 0: nothing is known
  std::int64_t sum = 0;
  std::int64_t largest = 0;

  void add(std::int64_t staleness);
  void add(const Staleness& other);
};

// How long something took: its span, and what the host saw of it, which counts
// where devices have no marks.
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

// What steps put into collectives, on one rank.
struct Traffic {
  std::int64_t bytes = 0;
  double exposed_seconds = 0.0; // waited for them, after backward
  // During which gradients travelled, hidden behind backward or not.
  double busy_seconds = 0.0;
  std::int64_t dropped = 0; // gradients that came too late to be applied
  Staleness staleness{}; // of those whose fate became known in these steps
  // Of a step on a device, not yet in the seconds: each wait, and each bucket.
  std::vector<DeviceSpan> waits{};
  std::vector<std::vector<DeviceSpan>> buckets{}; // by step
  // Of one step on the CPU, its buckets in the order in which they were cut;
  // add() leaves them out.
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

#include "dist/group/traffic.h"

#include <algorithm>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace vitrain::dist {

double covered_seconds(std::vector<TimeSpan> intervals) {
  std::ranges::sort(intervals, {}, &TimeSpan::begin);
  double covered = 0.0;
  double end = 0.0;
  for (const TimeSpan& interval : intervals) {
    const double begin = std::max(interval.begin, end);
    covered += std::max(0.0, interval.end - begin);
    end = std::max(end, interval.end);
  }
  return covered;
}

DeviceMark::DeviceMark(c10::Device device) {
  if (!device.is_cpu()) {
    event_ = std::make_shared<c10::Event>(
        device.type(), c10::EventFlag::BACKEND_DEFAULT);
    event_->record(
        c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
}

double DeviceMark::seconds_since(const DeviceMark& earlier) const {
  event_->synchronize();
  return earlier.event_->elapsedTime(*event_) * 1e-3;
}

void Staleness::add(std::int64_t staleness) {
  add(Staleness{.updates = 1, .sum = staleness, .largest = staleness});
}

void Staleness::add(const Staleness& other) {
  updates += other.updates;
  sum += other.sum;
  largest = std::max(largest, other.largest);
}

void Traffic::add_exposed(const Elapsed& wait) {
  if (wait.span.end.exists()) {
    waits.push_back(wait.span);
  } else {
    exposed_seconds += wait.seconds;
  }
}

void Traffic::add_busy(const Elapsed& travel) {
  if (travel.span.end.exists()) {
    buckets.push_back({travel.span});
  } else {
    busy_seconds += travel.seconds;
  }
}

void Traffic::add(const Traffic& step) {
  bytes += step.bytes;
  exposed_seconds += step.exposed_seconds;
  busy_seconds += step.busy_seconds;
  dropped += step.dropped;
  staleness.add(step.staleness);
  waits.insert(waits.end(), step.waits.begin(), step.waits.end());
  buckets.insert(buckets.end(), step.buckets.begin(), step.buckets.end());
}

void Traffic::settle() {
  for (const DeviceSpan& wait : waits) {
    exposed_seconds += wait.end.seconds_since(wait.begin);
  }
  for (const std::vector<DeviceSpan>& step : buckets) {
    std::vector<TimeSpan> intervals;
    for (const DeviceSpan& bucket : step) {
      const DeviceMark& origin = step.front().begin;
      intervals.push_back(
          {bucket.begin.seconds_since(origin),
           bucket.end.seconds_since(origin)});
    }
    busy_seconds += covered_seconds(std::move(intervals));
  }
  waits.clear();
  buckets.clear();
}

} // namespace vitrain::dist

#include "launch/foreign/launched_device.h"

#include "core/check.h"
#include "core/text.h"

namespace vitrain::launch {

DeviceSlot choose_launched_device(
    const LaunchedPlace& place,
    const DeviceRequest& request,
    const VisibleDevices& visible) {
  VITRAIN_CHECK(
      request.count == -1 || request.count == place.local_world_size,
      ExitCode::kUsage,
      "{} asked for, but {} started {} on this node: "
      "leave the number of devices to it, or give -launcher none",
      request.count == 1 ? "1 device was"
                         : fmt::format("{} devices were", request.count),
      place.launcher,
      counted(place.local_world_size, "worker"));
  DeviceRequest all = request;
  all.count = -1;
  // Applies the checks of choose_devices().
  const std::vector<DeviceSlot> slots =
      choose_devices(all, visible, /*cores=*/1);
  VITRAIN_CHECK(
      slots.front().kind == DeviceKind::kCuda || !place.device ||
          request.kind == DeviceKind::kCpu,
      ExitCode::kUsage,
      "{} gave this worker GPU {}, but none is visible: {}. To train on the "
      "CPU give -devices cpu",
      place.launcher,
      place.device.value_or(0),
      visible.summary);
  if (slots.front().kind == DeviceKind::kCpu) {
    return slots.front();
  }
  const auto count = static_cast<int>(slots.size());
  const bool bound = count == 1 && request.ids.empty();
  const int position = place.device && request.ids.empty() ? *place.device
      : bound                                              ? 0
                                                           : place.local_rank;
  VITRAIN_CHECK(
      position < count &&
          (bound || place.device || place.local_world_size <= count),
      ExitCode::kUsage,
      "{} started {} on this node, and worker {} is to use device {} of {}: "
      "{}. Start one worker per device",
      place.launcher,
      counted(place.local_world_size, "worker"),
      place.local_rank,
      position,
      count,
      visible.summary);
  return slots[static_cast<std::size_t>(position)];
}

} // namespace vitrain::launch

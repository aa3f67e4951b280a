#pragma once

#include "launch/devices/devices.h"
#include "launch/foreign/launchers.h"

namespace vitrain::launch {

// Chooses the device of a worker started by another launcher.
//
// Order: the device at position `local_rank` in `request.ids`, if any; the
// launcher's own choice; the only visible device (srun shows each task its
// own); the visible device at position `local_rank`. The CPU if it is
// requested, or without a request and without GPUs. Throws Error(kUsage) if the
// chosen position has no device or, unless the launcher chose it or only one
// device is visible, if the node has fewer devices than workers; if the
// request's number of devices is not the number of workers on this node; and if
// GPUs are requested (also by the launcher's choice) and there are none.
DeviceSlot choose_launched_device(
    const LaunchedPlace& place,
    const DeviceRequest& request,
    const VisibleDevices& visible);

} // namespace vitrain::launch

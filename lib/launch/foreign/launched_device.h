#pragma once

#include "launch/devices/devices.h"
#include "launch/foreign/launchers.h"

namespace vitrain::launch {

// The device of a worker that another launcher started.
//
// Chooses by the local rank among `request.ids` or the visible devices, by the
// launcher's own choice where it made one, or takes the only one where just one
// is visible (srun shows each task its own). Throws Error(kUsage) when there
// are fewer devices than workers on this node, or when the request names
// another number of them, or when GPUs were asked for (the launcher's choice is
// that, too) and there are none. Where nobody asked and there is none: the CPU.
DeviceSlot choose_launched_device(
    const LaunchedPlace& place,
    const DeviceRequest& request,
    const VisibleDevices& visible);

} // namespace vitrain::launch

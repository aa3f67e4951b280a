#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/devices/cuda_driver.h"
#include "options/device.h"

namespace vitrain::launch {

// A CUDA device that a program started now would see.
struct CudaDevice {
  int ordinal = 0; // CUDA's device number: the position in CUDA_VISIBLE_DEVICES
  int index = -1; // the driver's number (nvidia-smi); -1: a MIG slice
  std::string uuid;
  std::string name;
  std::int64_t memory = 0; // bytes; 0: unknown
  int capability = 0; // 10 * major + minor; 0: unknown
};

struct VisibleDevices {
  std::vector<CudaDevice> devices;
  // Number of devices that CUDA_VISIBLE_DEVICES names, present or not; 0: none,
  // or not set.
  std::int64_t named = 0;
  // One sentence for messages: the value of CUDA_VISIBLE_DEVICES, the driver's
  // list, and the reason for ignored entries.
  std::string summary;
};

// Applies CUDA's rules to `visible`, the value of CUDA_VISIBLE_DEVICES
// (nullopt: not set). Not set: all devices are shown. The first entry that
// names no device hides itself and all that follow, so "" and "-1" hide
// everything; an entry named twice hides everything. Entries are indices, or
// UUIDs ("GPU-...") and MIG names ("MIG-..."), of which a unique prefix is
// enough; the first entry decides which of the two all are. A MIG slice is
// visible only as the first device, and then alone. (CUDA programming guide,
// "CUDA environment variables"; MIG user guide, "CUDA device enumeration";
// repeated and malformed entries are treated as in torch 2.11's
// torch/cuda/__init__.py.) `bus_order`: CUDA_DEVICE_ORDER is PCI_BUS_ID.
// Without it, an index does not identify the model if there are several models
// of GPU; devices found by index are then called "NVIDIA GPU".
VisibleDevices visible_cuda_devices(
    const DriverReport& driver,
    const std::optional<std::string>& visible,
    bool bus_order = false);

// As the function above, for this machine's driver and the variables
// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER of this process.
VisibleDevices visible_cuda_devices();

// Device of a worker.
struct DeviceSlot {
  DeviceKind kind = DeviceKind::kCpu; // or kCuda
  int ordinal = 0; // CUDA's device number; 0 for CPU workers
  std::string name; // GPU model, or "cpu"
  std::string uuid{}; // of the GPU, if known
  int capability = 0; // of the GPU: 10 * major + minor; 0: unknown

  // Returns "cpu", "cuda:1 (NVIDIA H200)", or "cuda:1" if the name is unknown.
  std::string label() const;
};

struct DeviceRequest {
  DeviceKind kind = DeviceKind::kAuto;
  // Number of workers; with `ids`, -1 or their number. -1 without `ids`: one
  // for every visible CUDA device; on the CPU, one for kCpu and
  // default_cpu_workers() for kAuto.
  std::int64_t count = -1;
  // CUDA devices by driver index, UUID or MIG name (or a unique prefix of
  // these), in the order of ranks. A device named twice is shared by two
  // workers. Empty: the first `count` devices.
  std::vector<std::string> ids;
};

// Default number of CPU workers on a machine without GPUs: two, so that a trial
// exercises several workers, unless they would share a core.
int default_cpu_workers(int cores);

// Returns true if the request asks for CUDA devices, or if its kind is kAuto
// and it lists ids, CUDA_VISIBLE_DEVICES names devices, or devices are visible.
bool wants_cuda(const DeviceRequest& request, const VisibleDevices& visible);

// Returns one slot per worker, at least one; `cores`: number of cores that CPU
// workers share. Throws Error(kUsage) with the requested and the present
// devices if requested GPUs are missing, and if the request contradicts itself
// or its count is 0 or below -1.
std::vector<DeviceSlot> choose_devices(
    const DeviceRequest& request,
    const VisibleDevices& visible,
    int cores);

// Returns the number of workers that `request` asks for, at least one, whether
// or not this machine has them.
std::int64_t requested_workers(
    const DeviceRequest& request,
    const VisibleDevices& visible,
    int cores);

// Returns the text of the `devices` verb: the CUDA devices with their numbers
// and names, the cores that CPU workers would share, and
// VisibleDevices::summary. Ends with a newline.
std::string visible_devices_text(const VisibleDevices& visible, int cores);

} // namespace vitrain::launch

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vitrain::launch {

// A slice of a GPU in MIG mode.
struct MigDevice {
  std::string uuid; // "MIG-..."
  std::string name;
};

// A GPU as the driver reports it; in PCI bus order.
struct PhysicalDevice {
  std::string uuid; // "GPU-..."
  std::string name; // "NVIDIA H200"
  std::int64_t memory = 0; // bytes; 0: unknown
  int capability = 0; // 10 * major + minor; 0: unknown
  bool mig_enabled = false;
  std::vector<MigDevice> mig;
};

// Information from the NVIDIA driver, obtained without initialising CUDA,
// because a process that has initialised CUDA must not fork.
struct DriverReport {
  // For messages: "NVML (driver 580.82.07)", "/proc/driver/nvidia",
  // "no NVIDIA driver (libnvidia-ml.so.1: cannot open ...)".
  std::string source;
  bool missing = false; // /proc/driver/nvidia was read and lists no device
  std::vector<PhysicalDevice> devices;
};

// Queries NVML (`library` is its name or path); if that fails, reads
// /proc/driver/nvidia. Leaves out devices that this process may not open or
// that have fallen off the bus, as CUDA does. Never throws for a missing or
// broken driver: returns a report without devices.
DriverReport probe_cuda_driver(
    const std::string& library = "libnvidia-ml.so.1");

// Reads only /proc/driver/nvidia; `root` replaces "/". Leaves out devices
// without a file in `root`/dev: inside a container, /proc lists all devices of
// the host.
DriverReport read_proc_driver(const std::filesystem::path& root);

} // namespace vitrain::launch

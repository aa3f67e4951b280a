#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vitrain::fake_cuda {

// An injected fault: kind, call and device.
enum class Fault {
  kNone,
  kOutOfMemory, // the n-th allocation and all after it fail
  kSticky, // the n-th launch fails, and every call after it
  kLost, // the same, as when a device has fallen off its bus
  kCollective, // the n-th collective is refused
  kDies, // the process is killed in its n-th collective
};

// The machine that the fake stands for, from the environment; README.md lists
// the variables.
struct Settings {
  int physical_devices = 1;
  int slices = 0; // of each in MIG mode; 0: none is in it
  // Physical numbers in the order of ordinals, after CUDA_VISIBLE_DEVICES; in
  // MIG mode the number of the single slice.
  std::vector<int> visible;
  int major = 9;
  int minor = 0;
  int driver = 13000; // 0: none
  std::int64_t memory = std::int64_t{80} << 30;
  std::string folder; // for reports, and for processes to meet; may be empty
  std::string step_kernel; // a launch of it ends a step
  bool order = true; // of work on streams is checked
  Fault fault = Fault::kNone;
  int fault_device = 0;
  std::int64_t fault_call = 0; // from 1
};

const Settings& settings();

// UUID of a physical device: "GPU-00000000-0000-0000-0000-00000000000N".
std::string device_uuid(int physical);
// UUID of a slice: "MIG-00000000-0000-0000-000S-00000000000N".
std::string slice_uuid(int physical, int slice);

} // namespace vitrain::fake_cuda

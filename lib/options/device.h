#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Device of a worker. kAuto: CUDA if a GPU is visible, otherwise the CPU.
enum class DeviceKind { kAuto, kCuda, kCpu };
constexpr auto names_of(DeviceKind) {
  using enum DeviceKind;
  return enum_names<DeviceKind>(
      {{kAuto, "auto"}, {kCuda, "cuda"}, {kCpu, "cpu"}});
}

} // namespace vitrain

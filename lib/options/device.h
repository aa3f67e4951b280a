#pragma once

#include "core/text/enum_names.h"

namespace vitrain {

// What a worker runs on; kAuto is a choice that is still to be made: CUDA where
// there is any.
enum class DeviceKind { kAuto, kCuda, kCpu };
constexpr auto names_of(DeviceKind) {
  using enum DeviceKind;
  return enum_names<DeviceKind>(
      {{kAuto, "auto"}, {kCuda, "cuda"}, {kCpu, "cpu"}});
}

} // namespace vitrain

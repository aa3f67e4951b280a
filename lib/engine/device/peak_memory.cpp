#include "engine/device/peak_memory.h"

#include "core/system/cuda_plugin.h"
#include "launch/devices/memory.h"

namespace vitrain::engine {

std::int64_t peak_memory(const Session& session) {
  return session.cuda != nullptr
      ? session.cuda->peak_memory(session.device.index())
      : launch::peak_resident_memory();
}

} // namespace vitrain::engine

#include "engine/device/pinned_slots.h"

#include "core/check.h"
#include "core/system/cuda_plugin.h"
#include "core/text.h"

namespace vitrain::engine {

data::SlotAllocator slot_allocator(
    const CudaPlugin* plugin,
    const std::string& what) {
  if (plugin == nullptr) {
    return {};
  }
  return [plugin, what](std::size_t bytes) {
    void* memory = plugin->allocate_pinned(bytes);
    VITRAIN_CHECK(
        memory != nullptr,
        ExitCode::kOutOfMemory,
        "cannot lock {} of memory for batches: lower {}",
        human_bytes(static_cast<double>(bytes)),
        what);
    return data::SlotMemory(
        static_cast<std::uint8_t*>(memory),
        [plugin](std::uint8_t* pixels) { plugin->free_pinned(pixels); });
  };
}

} // namespace vitrain::engine

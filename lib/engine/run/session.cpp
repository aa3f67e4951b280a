#include "engine/run/session.h"

#include <algorithm>

#include "core/check.h"
#include "core/cuda_plugin.h"
#include "core/text.h"

namespace vitrain::engine {

int Session::loader_threads() const {
  if (job.recipe.data.threads) {
    return static_cast<int>(*job.recipe.data.threads);
  }
  return cuda != nullptr ? std::max(1, job.cores_per_worker - 1) : 1;
}

data::SlotAllocator Session::slot_allocator() const {
  if (cuda == nullptr) {
    return {};
  }
  return [plugin = cuda](std::size_t bytes) {
    void* memory = plugin->allocate_pinned(bytes);
    VITRAIN_CHECK(
        memory != nullptr,
        ExitCode::kOutOfMemory,
        "cannot lock {} of memory for batches: lower data.batch_size",
        human_bytes(static_cast<double>(bytes)));
    return data::SlotMemory(
        static_cast<std::uint8_t*>(memory),
        [plugin](std::uint8_t* pixels) { plugin->free_pinned(pixels); });
  };
}

} // namespace vitrain::engine

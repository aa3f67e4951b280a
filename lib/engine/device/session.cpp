#include "engine/device/session.h"

#include <algorithm>

#include "engine/device/pinned_slots.h"

namespace vitrain::engine {

int Session::loader_threads() const {
  if (job.recipe.data.threads) {
    return static_cast<int>(*job.recipe.data.threads);
  }
  return cuda != nullptr ? std::max(1, job.cores_per_worker - 1) : 1;
}

data::SlotAllocator Session::slot_allocator() const {
  return engine::slot_allocator(cuda, "data.batch_size");
}

} // namespace vitrain::engine

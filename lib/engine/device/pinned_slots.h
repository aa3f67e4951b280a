#pragma once

#include <string>

#include "data/load/loader.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::engine {

// Returns an allocator of pinned memory for a loader's batches, which the
// device reads directly; empty, for ordinary memory, if `plugin` is null. The
// allocator throws Error(kOutOfMemory) that advises to lower the recipe's key
// `what`.
data::SlotAllocator slot_allocator(
    const CudaPlugin* plugin,
    const std::string& what);

} // namespace vitrain::engine

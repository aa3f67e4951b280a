#pragma once

#include <string>

#include "data/load/loader.h"

namespace vitrain {
class CudaPlugin;
} // namespace vitrain

namespace vitrain::engine {

// Memory for a loader's batches that devices read without a copy in between;
// ordinary memory without a plugin. Where there is none left its error advises
// to lower `what`.
data::SlotAllocator slot_allocator(
    const CudaPlugin* plugin,
    const std::string& what);

} // namespace vitrain::engine

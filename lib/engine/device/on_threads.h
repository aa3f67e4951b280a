#pragma once

#include <cstddef>
#include <functional>

namespace vitrain::engine {

// Runs body(0) here and body(1), ... body(count - 1) on threads, which see no
// signals; rethrows the first failure in their order when all have ended.
void on_threads(
    std::size_t count,
    const std::function<void(std::size_t)>& body);

} // namespace vitrain::engine

#pragma once

#include <cstddef>
#include <functional>

namespace vitrain::engine {

// Runs body(0) on the calling thread and body(1), ..., body(count - 1) on new
// threads with all signals blocked; `count` is at least 1. Waits for all, then
// rethrows the exception of the lowest index, if any.
void on_threads(
    std::size_t count,
    const std::function<void(std::size_t)>& body);

} // namespace vitrain::engine

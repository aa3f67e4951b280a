#include "engine/device/on_threads.h"

#include <exception>
#include <thread>
#include <vector>

#include "core/system/stacks.h"

namespace vitrain::engine {

void on_threads(
    std::size_t count,
    const std::function<void(std::size_t)>& body) {
  std::vector<std::exception_ptr> failures(count);
  const auto guarded = [&](std::size_t index) {
    try {
      body(index);
    } catch (...) {
      failures[index] = std::current_exception();
    }
  };
  // jthread: if one thread cannot be started, the others are still joined.
  std::vector<std::jthread> threads;
  {
    const BlockedSignals blocked;
    for (std::size_t i = 1; i < count; ++i) {
      threads.emplace_back(guarded, i);
    }
  }
  guarded(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

} // namespace vitrain::engine

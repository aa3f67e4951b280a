#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace vitrain {

// Counts the memory of CPU tensors while it exists; only one may exist at a
// time. Tensors may outlive it.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() : before_(c10::GetCPUAllocator()) {
    held_ = 0;
    peak_ = 0;
    c10::SetCPUAllocator(this, kPriority);
  }
  ~CountingAllocator() override { c10::SetCPUAllocator(before_, kPriority); }

  // Bytes allocated now, as malloc rounds them up, and their maximum since the
  // last reset_peak().
  std::int64_t held() const { return held_; }
  std::int64_t peak() const { return peak_; }
  void reset_peak() { peak_ = held_.load(); }

  c10::DataPtr allocate(std::size_t bytes) override {
    constexpr std::size_t kAlignment = 64; // as torch's allocator
    void* data = nullptr;
    if (bytes > 0 && posix_memalign(&data, kAlignment, bytes) != 0) {
      throw std::bad_alloc();
    }
    const std::int64_t held = held_ += size_of(data);
    std::int64_t peak = peak_;
    while (peak < held && !peak_.compare_exchange_weak(peak, held)) {
    }
    return {data, data, &release, c10::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  static constexpr std::uint8_t kPriority = 1;
  static std::int64_t size_of(void* data) {
    return static_cast<std::int64_t>(malloc_usable_size(data));
  }
  static void release(void* data) {
    held_ -= size_of(data);
    std::free(data);
  }

  c10::Allocator* before_;
  static inline std::atomic<std::int64_t> held_ = 0;
  static inline std::atomic<std::int64_t> peak_ = 0;
};

} // namespace vitrain

#include "engine/device/cpu_setup.h"

#include <dlfcn.h>

#include <atomic>

#include "core/system/cpu.h"

namespace {

// Global, because MKL asks by calling a function without arguments.
std::atomic<bool> take_for_intel{false};

} // namespace

// MKL calls this function before it chooses its code path. libtorch_cpu defines
// it too, but calls it through the dynamic symbol table, where the executable's
// definition comes first. Undocumented: if another version of torch renames it,
// MKL decides by itself, and nothing else changes.
extern "C" int mkl_serv_intel_cpu_true() {
  if (take_for_intel) {
    return 1;
  }
  using Answer = int (*)();
  static const auto own =
      reinterpret_cast<Answer>(::dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  return own == nullptr ? 0 : own();
}

namespace vitrain::engine {

void set_up_mkl(config::Mkl mkl) {
  take_for_intel = mkl == config::Mkl::kAuto && best_simd() != Simd::kScalar;
}

std::string describe_mkl() {
  return take_for_intel ? "auto: code for Intel processors" : "plain";
}

} // namespace vitrain::engine

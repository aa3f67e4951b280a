#include "engine/run/autocast.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace vitrain::engine {

void allow_tf32(c10::DeviceType device, bool allowed) {
  if (device == c10::kCUDA) {
    at::globalContext().setAllowTF32CuBLAS(allowed);
    at::globalContext().setAllowTF32CuDNN(allowed);
  }
}

AutocastScope::AutocastScope(c10::DeviceType device, bool enabled)
    : device_(device), was_enabled_(at::autocast::is_autocast_enabled(device)) {
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, enabled);
  if (enabled) {
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::set_autocast_cache_enabled(false);
  }
}

AutocastScope::~AutocastScope() {
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

} // namespace vitrain::engine

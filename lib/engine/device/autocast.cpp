#include "engine/device/autocast.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace vitrain::engine {

void allow_tf32(c10::DeviceType device, bool allowed) {
  if (device == c10::kCUDA) {
    at::globalContext().setAllowTF32CuBLAS(allowed);
    at::globalContext().setAllowTF32CuDNN(allowed);
  }
}

Tf32Scope::Tf32Scope(c10::DeviceType device, bool allowed) : device_(device) {
  if (device_ == c10::kCUDA) {
    products_ = at::globalContext().allowTF32CuBLAS();
    convolutions_ = at::globalContext().allowTF32CuDNN();
  }
  allow_tf32(device_, allowed);
}

Tf32Scope::~Tf32Scope() {
  if (device_ == c10::kCUDA) {
    at::globalContext().setAllowTF32CuBLAS(products_);
    at::globalContext().setAllowTF32CuDNN(convolutions_);
  }
}

std::optional<at::ScalarType> product_type(config::Precision precision) {
  switch (precision) {
    case config::Precision::kBf16:
      return at::kBFloat16;
    case config::Precision::kFp16:
      return at::kHalf;
    default:
      return std::nullopt;
  }
}

std::optional<at::ScalarType> current_product_type(c10::DeviceType device) {
  return at::autocast::is_autocast_enabled(device)
      ? std::optional(at::autocast::get_autocast_dtype(device))
      : std::nullopt;
}

AutocastScope::AutocastScope(
    c10::DeviceType device,
    std::optional<at::ScalarType> products)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      previous_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, products.has_value());
  if (products) {
    at::autocast::set_autocast_dtype(device_, *products);
    at::autocast::set_autocast_cache_enabled(false);
  }
}

AutocastScope::~AutocastScope() {
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, previous_);
}

} // namespace vitrain::engine

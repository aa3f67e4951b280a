#pragma once

#include <optional>

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include "config/sections/train_precision.h"

namespace vitrain::engine {

// Lets CUDA devices round the factors of fp32 products to tf32, or not; of the
// whole process. Nothing happens where they are not used.
void allow_tf32(c10::DeviceType device, bool allowed);

// The type of products in this precision; none: that of their factors.
std::optional<at::ScalarType> product_type(config::Precision precision);
// That of products on `device` now, on this thread.
std::optional<at::ScalarType> current_product_type(c10::DeviceType device);

// Runs what is in its scope under autocast on `device` where `products` names a
// type: matrix products and convolutions in it from fp32 weights, sums in fp32.
// The weight cache is off: weights change between scopes, and a captured graph
// must not depend on it.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType device, std::optional<at::ScalarType> products);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  at::ScalarType previous_;
};

} // namespace vitrain::engine

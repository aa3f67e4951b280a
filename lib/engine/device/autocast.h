#pragma once

#include <optional>

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include "config/sections/train_precision.h"

namespace vitrain::engine {

// Allows or forbids tf32 for fp32 matrix products and convolutions on CUDA
// devices, for the whole process. Does nothing for other devices.
void allow_tf32(c10::DeviceType device, bool allowed);

// Calls allow_tf32() and restores the settings at the end of its scope.
class Tf32Scope {
 public:
  Tf32Scope(c10::DeviceType device, bool allowed);
  ~Tf32Scope();
  Tf32Scope(const Tf32Scope&) = delete;
  Tf32Scope& operator=(const Tf32Scope&) = delete;

 private:
  c10::DeviceType device_;
  bool products_ = false; // settings to restore
  bool convolutions_ = false;
};

// Returns the dtype in which `precision` computes matrix products and
// convolutions; nullopt: the dtype of their inputs.
std::optional<at::ScalarType> product_type(config::Precision precision);
// Returns the autocast dtype on `device` in this thread; nullopt if autocast is
// off.
std::optional<at::ScalarType> current_product_type(c10::DeviceType device);

// Enables autocast on `device` for this thread during its scope if `products`
// has a value, otherwise disables it. With autocast, matrix products and
// convolutions run in the dtype `products` from fp32 weights, sums in fp32.
// Autocast's weight cache is off: weights change between scopes, and a captured
// graph must not depend on it.
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

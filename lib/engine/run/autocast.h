#pragma once

#include <c10/core/DeviceType.h>

namespace vitrain::engine {

// Lets CUDA devices round the factors of fp32 products to tf32, or not; of the
// whole process. Nothing happens where they are not used.
void allow_tf32(c10::DeviceType device, bool allowed);

// Runs what is in its scope under bf16 autocast on `device` when `enabled`:
// matrix products and convolutions in bf16 from fp32 weights, sums in fp32. The
// weight cache is off: weights change between scopes, and a captured graph must
// not depend on it.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType device, bool enabled);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
};

} // namespace vitrain::engine

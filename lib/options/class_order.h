#pragma once

#include "core/text/enum_names.h"

namespace vitrain {

// How classes are numbered, and their samples after them.
enum class ClassOrder {
  // Folders directly below the dataset's are the classes, in byte order;
  // samples by folder, then by name.
  kTorchvision,
  // The folders that hold images are the classes, by the last part of their
  // path, wherever they lie; classes and samples in natural order: small
  // letters equal capitals, and numbers have their value.
  kTimm,
};
constexpr auto names_of(ClassOrder) {
  using enum ClassOrder;
  return enum_names<ClassOrder>(
      {{kTorchvision, "torchvision"}, {kTimm, "timm"}});
}

} // namespace vitrain

#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Rule for which folders are classes, and for the order of classes and samples.
// For lists whose labels are names, it determines only the order of the
// classes.
enum class ClassOrder {
  // Classes are the folders directly below the dataset's folder, in byte order;
  // samples are ordered by class, then by folder, then by name.
  kTorchvision,
  // Classes are the folders that contain images, at any depth, named by the
  // last component of their path. Classes (by name) and samples (by path) are
  // in natural order: case is ignored, and digits are compared as numbers.
  kTimm,
};
constexpr auto names_of(ClassOrder) {
  using enum ClassOrder;
  return enum_names<ClassOrder>(
      {{kTorchvision, "torchvision"}, {kTimm, "timm"}});
}

} // namespace vitrain

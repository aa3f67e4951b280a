#pragma once

#include "core/enum_names.h"

namespace vitrain {

// Order in which classes are numbered; samples are ordered by class.
enum class ClassOrder {
  // Classes are the folders directly below the dataset's folder, in byte order;
  // samples are ordered by folder, then by name.
  kTorchvision,
  // Classes are the folders that contain images, at any depth, named by the
  // last component of their path. Classes and samples are in natural order:
  // case is ignored, and digits are compared as numbers.
  kTimm,
};
constexpr auto names_of(ClassOrder) {
  using enum ClassOrder;
  return enum_names<ClassOrder>(
      {{kTorchvision, "torchvision"}, {kTimm, "timm"}});
}

} // namespace vitrain

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// The classes of the model that an evaluation is of.
struct ModelClasses {
  std::vector<std::string> names; // empty or numbers: not known
  std::int64_t count = 0; // 0: not known
};

// Restricts a dataset to some of a model's classes, as for ImageNet-A and
// ImageNet-R. `file` has one class per line, by name, optionally followed by
// other text ("n01498041 stingray"), or by number. The result has the model's
// classes; labels are mapped by class names or, if the model's names are
// unknown and the dataset has as many classes as the file, by their order, as
// in timm. Images of unlisted classes are left out. Throws Error(kData) for
// classes that the model does not have, and if no image is left.
Index restrict_to_subset(
    const Index& data,
    const std::string& file,
    const ModelClasses& model);

} // namespace vitrain::data

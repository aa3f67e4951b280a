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

// The evaluation of some of a model's classes, as ImageNet-A and ImageNet-R
// need it: `file` has one of them on each line, by its name, also with more
// behind it ("n01498041 stingray"), or by its number. The dataset gets the
// classes of the model, its images the labels of these: by the names of its
// classes or, where the model's are not known and it has as many as the file,
// by their order, as timm does it. Images of classes that are not listed are
// left out. Throws Error(kData) for classes that are not the model's, and where
// no image is left.
Index restrict_to_subset(
    const Index& data,
    const std::string& file,
    const ModelClasses& model);

} // namespace vitrain::data

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// Classes of the model that is evaluated. Where unknown, the dataset's are
// used.
struct ModelClasses {
  std::vector<std::string> names; // one per class; empty or numbers: unknown
  std::int64_t count = 0; // number of classes; 0: unknown
  // Form of the training data's labels. If the lines of the file for
  // restrict_to_subset() could equally be names and numbers, they are numbers
  // for kNumbers, else names.
  LabelForm labels = LabelForm::kNone;
};

// Restricts a dataset to some of a model's classes, as for ImageNet-A and
// ImageNet-R. `file` has one class per line, as a name, optionally followed by
// other text ("n01498041 stingray"), or as a number. The result has the model's
// classes. The dataset's classes are mapped to them by name or by number; if
// the model's names are unknown, a class cannot be mapped and the dataset has
// as many classes as the file, all are mapped in the order of the file, as in
// timm. Images of classes not in the file are left out. Throws Error(kData) for
// classes that the model does not have, for a repeated line, and if no image is
// left.
Index restrict_to_subset(
    const Index& data,
    const std::string& file,
    const ModelClasses& model);

} // namespace vitrain::data

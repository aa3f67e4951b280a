#pragma once

#include <string>

#include "data/sources/index.h"

namespace vitrain::data {

// Adds ReaL labels (Beyer et al., "Are we done with ImageNet?", 2020) as
// further labels to ImageNet's validation images, all or some of them. `file`
// is real.json: a list with one list of classes (possibly empty) per validation
// image, in the order of the image names. Throws Error(kData) if the file is
// something else, or if an image is not named like that set's
// (ILSVRC2012_val_00000001.JPEG is the first).
Index with_real_labels(const Index& data, const std::string& file);

} // namespace vitrain::data

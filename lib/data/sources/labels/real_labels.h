#pragma once

#include <string>

#include "data/sources/index.h"

namespace vitrain::data {

// ImageNet's validation images with their ReaL labels (Beyer et al., "Are we
// done with ImageNet?", 2020), which become further labels of the samples.
// `file` is real.json: a list with a list of classes for each image, in the
// order of their names; that of an image may be empty. Throws Error(kData) for
// another file, and for an image that is none of these by its name
// (ILSVRC2012_val_00000001.JPEG is the first).
Index with_real_labels(const Index& data, const std::string& file);

} // namespace vitrain::data
